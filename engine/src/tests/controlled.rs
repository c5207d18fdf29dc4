//! Messages that arrive while steps run, and what is left of them after a crash: A17, A18, I11, I12.

use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::future::{Either, join, select};

use super::worker::{Log, beside, options};
use super::{App, Ended, entries, keyed, neighbour};
use crate::client::{Signal, Start};
use crate::domain::{Actor, Entry, ExecutionId, Status};
use crate::ports::Clock as _;
use crate::settings::Settings;
use crate::testing::{Injection, ManualClock, Rule, World};
use crate::{Context, Failed, Retry, StepError};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

fn ada() -> Actor {
    Actor::human("ada")
}

/// The clock of the steps, and how many attempts began.
#[derive(Clone, Default)]
struct Steps {
    clock: Arc<OnceLock<Arc<ManualClock>>>,
    begun: Arc<AtomicU32>,
}

impl Steps {
    async fn one(self, time: Duration, fails: bool) -> Result<u64, StepError> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        let clock = self.clock.get().expect("set with the world");
        clock.sleep(time).await;
        if fails {
            return Err(StepError::new("flaky", "not yet"));
        }
        Ok(1)
    }

    /// `n` steps of `seconds`, one after the other.
    async fn sequence(self, ctx: Context, (n, seconds): (u64, u64)) -> Result<u64, Failed> {
        let mut sum = 0;
        for _ in 0..n {
            let steps = self.clone();
            let time = Duration::from_secs(seconds);
            sum += ctx
                .step("one", move || steps.clone().one(time, false))
                .await?;
        }
        Ok(sum)
    }

    /// A step that fails at once, again and again.
    async fn retries(self, ctx: Context, _: ()) -> Result<u64, Failed> {
        let steps = self.clone();
        let step = ctx.step("one", move || steps.clone().one(Duration::ZERO, true));
        Ok(step.retry(Retry::fixed(1_000, SECOND)).await?)
    }

    /// Steps of two seconds until a message arrives.
    async fn until(self, ctx: Context, _: ()) -> Result<u64, Failed> {
        let mut stop = pin!(ctx.receive::<u64>("stop"));
        loop {
            let steps = self.clone();
            let step = ctx.step("one", move || steps.clone().one(2 * SECOND, false));
            match select(stop, pin!(step.into_future())).await {
                Either::Left((value, _)) => return Ok(value?),
                Either::Right((_, left)) => stop = left,
            }
        }
    }

    fn app(&self) -> App {
        let (sequence, retries, until) = (self.clone(), self.clone(), self.clone());
        App::new()
            .workflow("sequence", "1", move |ctx, input| {
                sequence.clone().sequence(ctx, input)
            })
            .workflow("retries", "1", move |ctx, ()| {
                retries.clone().retries(ctx, ())
            })
            .workflow("until", "1", move |ctx, ()| until.clone().until(ctx, ()))
            .workflow("waits", "1", waits)
    }

    fn world(&self, settings: Settings) -> World {
        let world = World::with_settings(self.app(), settings);
        let _ = self.clock.set(Arc::clone(&world.clock));
        world
    }

    fn begun(&self) -> u32 {
        self.begun.load(Ordering::SeqCst)
    }
}

async fn waits(ctx: Context, _: ()) -> Result<u64, Failed> {
    Ok(ctx.receive::<u64>("go").await?)
}

/// Runs `eid`, and does `what` after `wait`.
fn run_beside(
    world: &World,
    eid: ExecutionId,
    wait: Duration,
    what: impl Future<Output = ()>,
) -> Ended {
    let acts = async {
        world.clock.sleep(wait).await;
        what.await;
    };
    let run = world.engine.run(eid, world.causes(eid));
    let (ended, ()) = world.block(join(run, acts));
    ended.unwrap()
}

#[test]
fn a17_short_steps_do_not_keep_a_control_message_waiting() {
    type Ask = fn(&World, ExecutionId) -> futures::future::BoxFuture<'_, ()>;
    let asks: [(Ask, Ended); 3] = [
        (
            |world, eid| {
                Box::pin(async move { world.engine.cancel(eid, "no", ada()).await.unwrap() })
            },
            Ended::Terminal(Status::Cancelled),
        ),
        (
            |world, eid| {
                Box::pin(async move { world.engine.terminate(eid, "no", ada()).await.unwrap() })
            },
            Ended::Terminal(Status::Terminated),
        ),
        (
            |world, eid| {
                Box::pin(async move { world.engine.pause(eid, "no", ada()).await.unwrap() })
            },
            Ended::Parked(Status::Paused),
        ),
    ];
    for (ask, end) in asks {
        let steps = Steps::default();
        let world = steps.world(Settings::default());
        let eid = world
            .start(Start::new("sequence").input(&(12_u64, 3_u64)))
            .eid;
        let ended = run_beside(&world, eid, 5 * SECOND, ask(&world, eid));
        assert_eq!(ended, end);
        assert_eq!(
            steps.begun(),
            4,
            "listed after 10 s, during the fourth step"
        );
    }
}

#[test]
fn a17_retries_in_place_do_not_keep_a_cancel_waiting() {
    let steps = Steps::default();
    let world = steps.world(Settings::default());
    let eid = world.start(Start::new("retries").input(&())).eid;
    let cancel = async { world.engine.cancel(eid, "no", ada()).await.unwrap() };
    let ended = run_beside(&world, eid, 4 * SECOND, cancel);
    assert_eq!(ended, Ended::Terminal(Status::Cancelled));
    assert_eq!(steps.begun(), 10, "none after 10 s");
}

#[test]
fn a17_short_steps_do_not_keep_a_signal_waiting() {
    let steps = Steps::default();
    let world = steps.world(Settings::default());
    let eid = world.start(Start::new("until").input(&())).eid;
    let signal = async {
        let signal = Signal::on("stop").value(&7_u64);
        let _ = world.engine.signal(eid, signal).await.unwrap();
    };
    let ended = run_beside(&world, eid, 3 * SECOND, signal);
    assert_eq!(ended, Ended::Terminal(Status::Completed));
    assert_eq!(
        steps.begun(),
        5,
        "the step that began at 8 s is the last one"
    );
    assert_eq!(world.result::<u64>(eid), Ok(7));
}

#[test]
fn a17_a_hint_makes_a_run_list_at_once() {
    let steps = Steps::default();
    let world = steps.world(Settings::default());
    let log = Log::default();
    let eid = world
        .start(Start::new("sequence").input(&(12_u64, 3_u64)).key("k"))
        .eid;
    let what = async {
        world.clock.sleep(4 * SECOND).await;
        world.engine.cancel(eid, "no", ada()).await.unwrap();
        world.clock.sleep(SECOND).await;
    };
    beside(&world, options(&world, &log), what);
    assert_eq!(world.status(eid), Status::Cancelled);
    assert_eq!(steps.begun(), 2, "the second one was aborted");
}

/// A run of steps costs what it did, and one list more for each third of the lease.
#[test]
fn a17_price_of_a_run_of_steps() {
    let price = |n: u64, seconds: u64| {
        let steps = Steps::default();
        let settings = Settings {
            feed_after: HOUR,
            ..Settings::default()
        };
        let world = steps.world(settings);
        let eid = world.start(Start::new("sequence").input(&(n, seconds))).eid;
        let (ended, counts) = world.counted(|world| world.run(eid));
        assert_eq!(ended.unwrap(), Ended::Terminal(Status::Completed));
        (counts.lists, counts.writes)
    };
    let (lists, writes) = price(9, 0);
    assert_eq!(
        price(9, 1),
        (lists, writes),
        "shorter than a third of the lease"
    );
    assert_eq!(
        price(9, 3),
        (lists + 2, writes),
        "listed at 10 s and at 20 s"
    );
    // A renewal and a list for each third, as before.
    assert_eq!(price(1, 35), (price(1, 0).0 + 3, price(1, 0).1 + 3));
}

/// A process that dies after its write number `writes` of a head.
fn dying(world: &World, steps: &Steps, writes: u64) -> World {
    let process = neighbour(world, || steps.app(), 7);
    let dies = Rule::new(Injection::LandedAndDied).on_writes().under("x/");
    process.faults.add(dies.skip(writes - 1));
    process
}

/// A sequence of two steps. `acts` begins five seconds after its run, whose process dies after the
/// second write of the head: the first is the barrier.
fn dies_after_its_second_commit(
    world: &World,
    steps: &Steps,
    acts: impl AsyncFnOnce(ExecutionId),
) -> ExecutionId {
    let start = Start::new("sequence").input(&(2_u64, 45_u64));
    let eid = world.start(start).eid;
    let dies = dying(world, steps, 2);
    let run = dies.engine.run(eid, world.causes(eid));
    let (ended, ()) = world.block(join(run, async {
        world.clock.sleep(5 * SECOND).await;
        acts(eid).await;
    }));
    assert!(ended.is_err());
    eid
}

#[test]
fn i11_a_pause_survives_a_crash_of_the_run_that_absorbed_it() {
    let steps = Steps::default();
    let world = steps.world(Settings::default());
    // The second commit is the renewal with the pause.
    let eid = dies_after_its_second_commit(&world, &steps, async |eid| {
        world.engine.pause(eid, "no", ada()).await.unwrap();
    });
    assert_eq!(
        world.status(eid),
        Status::Paused,
        "its lease shows that it is paused"
    );
    world.clock.advance(31 * SECOND);
    assert_eq!(world.run(eid).unwrap(), Ended::Parked(Status::Paused));
    assert_eq!(steps.begun(), 1, "no attempt begins behind a pause");
    world.block(world.engine.resume(eid, ada())).unwrap();
    world.skip(HOUR);
    assert_eq!(world.result::<u64>(eid), Ok(2));
    assert_eq!(steps.begun(), 3);
}

#[test]
fn i12_a_terminate_survives_a_crash_between_two_commits() {
    let steps = Steps::default();
    let world = steps.world(Settings::default());
    // The second commit has the terminate and some of the messages behind it.
    let eid = dies_after_its_second_commit(&world, &steps, async |eid| {
        world.engine.terminate(eid, "enough", ada()).await.unwrap();
        for _ in 0..3 {
            world.clock.sleep(SECOND).await;
            let signal = Signal::on("in").value(&"x".repeat(20_000));
            let _ = world.engine.signal(eid, signal).await.unwrap();
        }
    });
    assert!(!world.status(eid).is_terminal());
    world.clock.advance(31 * SECOND);
    assert_eq!(world.run(eid).unwrap(), Ended::Terminal(Status::Terminated));
    assert_eq!(steps.begun(), 1, "no attempt begins behind a terminate");
    let last = entries(&world, eid).pop();
    let Some(Entry::Cancelled { failure }) = last else {
        panic!("{last:?}");
    };
    assert_eq!(failure.message.as_str(), "enough");
}

#[test]
fn a18_late_mail_does_not_block_an_execution_whose_runs_end_cleanly() {
    let steps = Steps::default();
    let world = steps.world(Settings::default());
    let eid = world.start(Start::new("waits").input(&()).key("w")).eid;
    assert_eq!(eid, keyed("w"));
    world.run_all();
    for n in 0..8_u64 {
        world.signal(eid, Signal::on("progress").value(&n)).unwrap();
        // Served more than three leases late.
        world.clock.advance(95 * SECOND);
        assert_eq!(world.run(eid).unwrap(), Ended::Suspended(None));
    }
    assert_eq!(world.status(eid), Status::Suspended);
    world.signal(eid, Signal::on("go").value(&3_u64)).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(3));
}

#[test]
fn renewals_of_a_long_step_do_not_count_into_the_history() {
    let steps = Steps::default();
    let settings = Settings {
        ttl: Duration::from_millis(1_500),
        max_journal: 6 << 10,
        ..Settings::default()
    };
    let world = steps.world(settings);
    let eid = world
        .start(Start::new("sequence").input(&(1_u64, 30_u64)))
        .eid;
    assert_eq!(world.run(eid).unwrap(), Ended::Terminal(Status::Completed));
    let shown = world.block(world.engine.execution(eid)).unwrap();
    assert!(shown.commit > 50, "it was renewed");
    assert!(shown.journal_bytes < 6 << 10, "{}", shown.journal_bytes);
}
