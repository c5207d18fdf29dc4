//! What must not cost a run its lease, nor its attempts: much to write, much to read, a
//! shard that is throttled for a while, outcomes without end.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::{join, join_all};
use jiff::Timestamp;

use super::super::ledger::Ledger;
use super::super::worker::{Log, beside, options, sleep};
use super::super::{App, clocked, neighbour};
use super::{SECOND, attempts};
use crate::client::{Signal, Start};
use crate::domain::{Actor, ExecutionId};
use crate::ports::Clock;
use crate::process::Notice;
use crate::settings::Settings;
use crate::testing::{Injection, ManualClock, Rule, Verb, World};
use crate::worker::Worker;
use crate::{Attempt, Context, Failed, Retry, Step, StepError};

/// A step that takes this long, may be made once and answers a text of so many bytes.
fn step(ctx: &Context, ledger: &Ledger, seconds: u32, bytes: usize) -> Step<String> {
    let ledger = ledger.clone();
    let step = ctx.step("step", move |attempt: Attempt| {
        let ledger = ledger.clone();
        async move {
            ledger.effect(&attempt);
            ledger.clock().sleep(SECOND * seconds).await;
            // Each its own text, and so its own blob.
            Ok::<_, StepError>(format!("{:?}{}", attempt.fid(), "b".repeat(bytes)))
        }
    });
    step.retry(Retry::none())
}

/// 100 large values at once.
async fn fan(ctx: Context, ledger: Ledger) -> Result<usize, Failed> {
    let steps = (0..100).map(|_| step(&ctx, &ledger, 1, 40_000));
    let all: Result<Vec<_>, _> = join_all(steps).await.into_iter().collect();
    Ok(all?.len())
}

/// A minute's step beside a short one, and a message.
async fn both(ctx: Context, ledger: Ledger, bytes: usize) -> Result<usize, Failed> {
    let received = ctx.receive::<String>("in");
    let (long, short) = (step(&ctx, &ledger, 60, 1), step(&ctx, &ledger, 11, bytes));
    let (long, short, received) = futures::join!(long, short, received);
    long?;
    short?;
    Ok(received?.len())
}

fn app(ledger: &Ledger) -> App {
    let [a, b] = [ledger.clone(), ledger.clone()];
    App::new()
        .workflow("fan", "1", move |ctx, (): ()| fan(ctx, a.clone()))
        .workflow("both", "1", move |ctx, bytes| both(ctx, b.clone(), bytes))
}

fn world(tail: usize) -> (World, Ledger) {
    let ledger = Ledger::default();
    let settings = Settings {
        tail,
        ..Settings::default()
    };
    let world = World::with_settings(app(&ledger), settings);
    ledger.open(&world);
    (world, ledger)
}

/// Everything of one execution but its mail.
fn objects(eid: ExecutionId) -> String {
    let head = crate::keys::head(&eid).to_string();
    head.trim_end_matches("head").to_owned()
}

#[test]
fn i1_many_large_values_that_a_slow_store_takes_one_by_one_do_not_outlast_the_lease() {
    let (world, ledger) = world(64 << 10);
    let other = neighbour(&world, || app(&ledger), 5);
    let eid = world.start(Start::new("fan")).eid;
    let slow = Rule::new(Injection::Delay(SECOND / 2)).under(objects(eid) + "blob/");
    world.faults.add(slow.on_writes().always());
    let (stop, abandon, log) = (Notice::new(), Notice::new(), Log::default());
    let second = Worker::new(&other.engine, options(&other, &log));
    let both = async {
        let word = async {
            sleep(&world, 100 * SECOND).await;
            stop.set();
        };
        join(second.run(&stop, &abandon), word).await;
    };
    beside(&world, options(&world, &log), both);
    assert_eq!(world.result::<usize>(eid), Ok(100));
    assert_eq!(attempts(&world, eid), vec![1; 100]);
    assert_eq!(ledger.wrong(), Vec::<String>::new());
}

#[test]
fn case_17_a_shard_that_is_throttled_while_a_value_or_a_segment_is_due_costs_no_attempt() {
    // What is due: nothing, a large outcome, a segment, a large message.
    let due = [
        (1, 64 << 10, 1),
        (40_000, 64 << 10, 1),
        (1, 500, 1),
        (1, 64 << 10, 50_000),
    ];
    for (bytes, tail, text) in due {
        for writes in [true, false] {
            let (world, ledger) = world(tail);
            let client = neighbour(&world, || app(&ledger), 5);
            let eid = world.start(Start::new("both").input(&bytes)).eid;
            let log = Log::default();
            let dead = Rule::new(Injection::SlowDown(None)).under(objects(eid));
            let dead = match writes {
                true => dead.on_writes(),
                false => dead.on(Verb::Read),
            };
            let what = async {
                sleep(&world, 5 * SECOND).await;
                let message = Signal::on("in").value(&"m".repeat(text));
                client.engine.signal(eid, message).await.unwrap();
                // The outcome of the short step is delivered in it, and then a renewal is due.
                sleep(&world, 5500 * SECOND / 1000).await;
                world.faults.add(dead.clone().always().lasting(15 * SECOND));
                sleep(&world, 100 * SECOND).await;
            };
            beside(&world, options(&world, &log), what);
            let case = (bytes, tail, text, writes);
            assert_eq!(world.result::<usize>(eid), Ok(text), "{case:?}");
            assert_eq!(attempts(&world, eid), [1, 1], "{case:?}");
        }
    }
}

#[test]
fn case_17_a_large_message_whose_value_cannot_be_read_now_is_received_later() {
    let (world, ledger) = world(64 << 10);
    let client = neighbour(&world, || app(&ledger), 5);
    let eid = world.start(Start::new("both").input(&1)).eid;
    let what = async {
        sleep(&world, 5 * SECOND).await;
        let message = Signal::on("in").value(&"m".repeat(50_000));
        client.engine.signal(eid, message).await.unwrap();
        let dead = Rule::new(Injection::SlowDown(None)).under(objects(eid) + "blob/");
        let dead = dead.on(Verb::Read).always();
        world.faults.add(dead.lasting(30 * SECOND));
        sleep(&world, 100 * SECOND).await;
    };
    beside(&world, options(&world, &Log::default()), what);
    assert!(world.faults.met() > 0);
    assert_eq!(world.result::<usize>(eid), Ok(50_000));
    assert_eq!(attempts(&world, eid), [1, 1]);
}

#[test]
fn a_mailbox_too_full_for_one_listing_is_received_while_a_step_runs() {
    let (world, ledger) = world(64 << 10);
    let client = neighbour(&world, || app(&ledger), 5);
    let eid = world.start(Start::new("both").input(&1)).eid;
    // 16 at once: a look has time for half of them.
    let slow = Rule::new(Injection::Delay(SECOND)).under("mail/");
    world.faults.add(slow.on(Verb::Read).always());
    let what = async {
        sleep(&world, 5 * SECOND).await;
        for n in 0..250 {
            let message = Signal::on("in").value(&format!("{n}"));
            client.engine.signal(eid, message).await.unwrap();
        }
        let by = Actor::human("ada");
        client.engine.terminate(eid, "enough", by).await.unwrap();
        sleep(&world, 45 * SECOND).await;
        let status = client.engine.status(eid).await.unwrap();
        assert!(status.is_terminal(), "{status:?}");
    };
    beside(&world, options(&world, &Log::default()), what);
}

/// Whose shortest sleep is not over at once, as that of a real timer.
#[derive(Debug)]
struct Coarse(Arc<ManualClock>);

#[async_trait]
impl Clock for Coarse {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn monotonic(&self) -> Duration {
        self.0.monotonic()
    }

    async fn sleep(&self, duration: Duration) {
        self.0.sleep(duration.max(SECOND / 1000)).await;
    }
}

/// Pure steps that compute for a second each, without an end to wait for.
async fn computes(ctx: Context, clock: Arc<ManualClock>) -> Result<u64, Failed> {
    for _ in 0..100 {
        let clock = Arc::clone(&clock);
        let step = ctx.step("pure", move || {
            let clock = Arc::clone(&clock);
            async move {
                clock.advance(SECOND);
                Ok::<_, StepError>(1_u64)
            }
        });
        step.pure().await?;
    }
    Ok(1)
}

#[test]
fn i1_outcomes_that_are_always_there_do_not_keep_a_run_from_renewing() {
    let ledger = Ledger::default();
    let app = || {
        let ledger = ledger.clone();
        App::new().workflow("computes", "1", move |ctx, (): ()| {
            computes(ctx, Arc::clone(ledger.clock()))
        })
    };
    let world = World::new(app());
    ledger.open(&world);
    let clock = Arc::new(Coarse(Arc::clone(&world.clock)));
    let world = clocked(world, app(), clock);
    let eid = world.start(Start::new("computes")).eid;
    let began = world.clock.now();
    world.run(eid).unwrap();
    assert_eq!(world.result::<u64>(eid), Ok(1));
    let page = world
        .block(world.engine.journal(eid, 0, usize::MAX))
        .unwrap();
    let commits = page.commits.iter().map(|commit| commit.at);
    let at: Vec<Timestamp> = std::iter::once(began).chain(commits).collect();
    let gaps = at.windows(2).map(|two| two[1].duration_since(two[0]));
    let longest = gaps.map(|gap| gap.as_secs()).max();
    assert!(longest < Some(15), "{longest:?} seconds without a renewal");
}
