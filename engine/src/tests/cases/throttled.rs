//! Case 17: a store that asks for fewer requests.

use std::time::Duration;

use super::super::ledger::Ledger;
use super::super::worker::{Log, beside, options, sleep};
use super::super::{App, keyed, neighbour};
use super::{SECOND, attempts, number, shard, sums};
use crate::client::{Signal, Start};
use crate::domain::{ExecutionId, Status};
use crate::ports::Clock;
use crate::testing::{Injection, Rule, Verb, World};
use crate::{Attempt, Context, Failed, Retry, Step, StepError};

/// With and without `Retry-After`.
const ASKED: [Option<Duration>; 2] = [None, Some(Duration::from_secs(2))];
const TEN_MINUTES: Duration = Duration::from_secs(600);

/// A step that takes this long and may be made once: an attempt that is charged for what the
/// store did fails its execution.
fn step(ctx: &Context, ledger: &Ledger, seconds: u32) -> Step<u64> {
    let ledger = ledger.clone();
    let step = ctx.step("step", move |attempt: Attempt| {
        let ledger = ledger.clone();
        async move {
            ledger.effect(&attempt);
            ledger.clock().sleep(SECOND * seconds).await;
            Ok::<_, StepError>(1_u64)
        }
    });
    step.retry(Retry::none())
}

/// `n` steps of ten seconds.
async fn steps(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for _ in 0..n {
        sum += step(&ctx, &ledger, 10).await?;
    }
    Ok(sum)
}

/// A message that is due in 20 seconds, beside a step of 100.
async fn listens(ctx: Context, ledger: Ledger) -> Result<u64, Failed> {
    let received = ctx.receive::<u64>("in").timeout(SECOND * 20);
    let (done, received) = futures::join!(step(&ctx, &ledger, 100), received);
    Ok(done? + received?.unwrap_or(1_000))
}

/// Sends a message to another, and takes a step of 100 seconds.
async fn sends(ctx: Context, ledger: Ledger) -> Result<u64, Failed> {
    ctx.send(keyed("receiver"), "in", &7_u64)?;
    Ok(step(&ctx, &ledger, 100).await?)
}

fn app(ledger: &Ledger) -> App {
    let [a, b, c] = [ledger.clone(), ledger.clone(), ledger.clone()];
    App::new()
        .workflow("steps", "1", move |ctx, n| steps(ctx, a.clone(), n))
        .workflow("listens", "1", move |ctx, (): ()| listens(ctx, b.clone()))
        .workflow("sends", "1", move |ctx, (): ()| sends(ctx, c.clone()))
        .workflow("sums", "1", sums)
}

fn world() -> (World, Ledger) {
    Ledger::world(app)
}

/// 30 % of the requests of `process` are sent away, of every verb, for ten minutes.
fn storm(process: &World, asked: Option<Duration>, seed: u64) {
    let rule = || Rule::new(Injection::SlowDown(asked));
    let rules = [
        rule().on(Verb::Read),
        rule().on_writes(),
        rule().on(Verb::Delete),
        rule().on(Verb::List),
    ];
    for (seed, rule) in (seed..).zip(rules) {
        process
            .faults
            .add(rule.share(300, seed).lasting(TEN_MINUTES));
    }
}

/// Everything about one shard is sent away, for so long.
fn dead_shard(world: &World, shard: &str, asked: Option<Duration>, time: Duration) {
    for prefix in [format!("x/{shard}/"), format!("mail/default/{shard}/")] {
        let rule = Rule::new(Injection::SlowDown(asked)).under(prefix);
        world.faults.add(rule.always().lasting(time));
    }
}

/// Every answer that sent a request away was counted.
fn all_counted(world: &World) -> u64 {
    let counted = world.counting.counts().throttled;
    assert_eq!(counted, world.faults.met());
    counted
}

#[test]
fn case_17_ten_minutes_of_30_percent_503_cost_no_attempt_no_message_and_no_execution() {
    for (seed, asked) in (100..).zip(ASKED) {
        let (world, ledger) = world();
        let log = Log::default();
        let client = neighbour(&world, || app(&ledger), 5);
        storm(&world, asked, seed * 10);
        storm(&client, asked, seed * 10 + 5);
        let mut keys = Vec::new();
        let clients = async {
            for n in 0..20 {
                let key = format!("{n}");
                let eid = keyed(&key);
                let summing = n % 4 == 0;
                let start = Start::new(if summing { "sums" } else { "steps" }).key(key);
                let start = start.input(&if summing { 1 } else { n % 5 + 1 });
                // A caller whose start failed repeats it with the same key.
                while client.engine.start(start.clone()).await.is_err() {}
                let message = number(n).key("m");
                while summing && client.engine.signal(eid, message.clone()).await.is_err() {}
                keys.push((eid, summing, n));
                sleep(&world, 28 * SECOND).await;
            }
            sleep(&world, 120 * SECOND).await;
        };
        beside(&world, options(&world, &log), clients);
        for (eid, summing, n) in keys {
            let end = if summing { n } else { n % 5 + 1 };
            assert_eq!(world.result::<u64>(eid), Ok(end), "{asked:?}: {n}");
            let attempts = attempts(&world, eid);
            assert!(
                attempts.iter().all(|made| *made == 1),
                "{asked:?}: {n}: {attempts:?}"
            );
        }
        assert_eq!(ledger.wrong(), Vec::<String>::new());
        let counted = all_counted(&world);
        assert!(counted > 100, "{asked:?}: {counted}");
        assert!(world.with_work().is_empty());
    }
}

/// Executions of `steps`, each in a shard of its own.
fn apart(world: &World, count: usize, n: u64) -> Vec<ExecutionId> {
    let mut all: Vec<ExecutionId> = Vec::new();
    for key in 0.. {
        let eid = keyed(&format!("{n} {key}"));
        if all.iter().all(|other| shard(*other) != shard(eid)) {
            world.start(Start::new("steps").key(format!("{n} {key}")).input(&n));
            all.push(eid);
        }
        if all.len() == count {
            break;
        }
    }
    all
}

#[test]
fn case_17_a_shard_that_is_throttled_whole_stands_still_alone_and_is_charged_nothing() {
    for asked in ASKED {
        let (world, ledger) = world();
        let log = Log::default();
        let first = apart(&world, 6, 8);
        let dead = shard(first[0]);
        let what = async {
            sleep(&world, 15 * SECOND).await;
            // Shorter than a lease: not even an attempt is lost.
            dead_shard(&world, &dead, asked, 15 * SECOND);
            sleep(&world, 20 * SECOND).await;
            assert_eq!(attempts_now(&world, first[0]).await, [1, 1, 1]);
            dead_shard(&world, &dead, asked, TEN_MINUTES);
            sleep(&world, 765 * SECOND).await;
        };
        beside(&world, options(&world, &log), what);
        let ended = |eid| log.ended(eid).last().map(|(at, _)| *at).unwrap();
        for eid in &first[1..] {
            assert_eq!(world.result::<u64>(*eid), Ok(8));
            let at = ended(*eid);
            assert!(
                at < 85 * SECOND,
                "{asked:?}: another shard went on until {at:?}"
            );
            assert_eq!(attempts(&world, *eid), [1; 8]);
        }
        assert!(ended(first[0]) > 635 * SECOND, "{asked:?}");
        assert_eq!(world.result::<u64>(first[0]), Ok(8), "{asked:?}: charged");
        let made: usize = attempts(&world, first[0]).iter().sum();
        assert!(
            made <= 9,
            "{asked:?}: the attempt under way was lost, no other: {made}"
        );
        assert_eq!(ledger.wrong(), Vec::<String>::new());
        assert!(all_counted(&world) > 20);
        assert!(world.with_work().is_empty());
    }
}

/// As [`attempts`], while the world is under way.
async fn attempts_now(world: &World, eid: ExecutionId) -> Vec<usize> {
    use crate::domain::{Began, Entry};
    let page = world.engine.journal(eid, 0, usize::MAX).await.unwrap();
    let entries = page.commits.into_iter().flat_map(|commit| commit.entries);
    let began = entries.filter(|entry| {
        matches!(
            entry,
            Entry::FrameStarted {
                began: Began::Step { .. },
                ..
            }
        )
    });
    began.map(|_| 1).collect()
}

#[test]
fn case_17_a_renewal_does_not_wait_for_a_list_and_a_deadline_waits_for_it() {
    for asked in [
        None,
        Some(SECOND * 2),
        Some(SECOND * 15),
        Some(SECOND * 3_600),
    ] {
        let (world, ledger) = world();
        let client = neighbour(&world, || app(&ledger), 5);
        let eid = world.start(Start::new("listens")).eid;
        let what = async {
            sleep(&world, 5 * SECOND).await;
            let lists = Rule::new(Injection::SlowDown(asked))
                .on(Verb::List)
                .always();
            world.faults.add(lists.lasting(60 * SECOND));
            sleep(&world, 5 * SECOND).await;
            let message = Signal::on("in").value(&7_u64);
            client.engine.signal(eid, message).await.unwrap();
            sleep(&world, 190 * SECOND).await;
        };
        let run = async { world.engine.run(eid, world.causes(eid)).await };
        let (ended, ()) = world.block(futures::future::join(run, what));
        assert!(ended.is_ok(), "{asked:?}: {ended:?}");
        // The message came before the deadline, though nobody could see it then.
        world.run_all();
        assert_eq!(world.result::<u64>(eid), Ok(8), "{asked:?}");
        assert_eq!(attempts(&world, eid), [1], "{asked:?}");
        assert_eq!(ledger.wrong(), Vec::<String>::new());
    }
}

#[test]
fn case_17_an_effect_on_a_throttled_shard_costs_no_attempt_and_comes_when_it_can() {
    for asked in ASKED {
        let (world, ledger) = world();
        let reported = world
            .start(Start::new("sums").input(&1_u64).key("receiver"))
            .eid;
        world.run_all();
        let mut keys = (0..).map(|n: u32| format!("{n}"));
        let key = keys.find(|key| shard(keyed(key)) != shard(reported));
        let eid = world.start(Start::new("sends").key(key.unwrap())).eid;
        dead_shard(&world, &shard(reported), asked, 60 * SECOND);
        let ended = world.run(eid);
        assert!(ended.is_ok(), "{asked:?}: {ended:?}");
        assert_eq!(world.clock.monotonic().as_secs(), 100, "{asked:?}");
        assert_eq!(world.result::<u64>(eid), Ok(1));
        assert_eq!(attempts(&world, eid), [1], "{asked:?}");
        world.run_all();
        assert_eq!(world.status(reported), Status::Completed, "{asked:?}");
        assert_eq!(ledger.wrong(), Vec::<String>::new());
        all_counted(&world);
    }
}

/// **A31** Neither a list that is due before the second step, nor the feed object that precedes the end.
#[test]
fn a31_an_outcome_is_stored_before_a_run_ends_that_cannot_go_on() {
    let refused = || Rule::new(Injection::SlowDown(None)).always();
    for rule in [
        refused().on(Verb::List).under("mail/"),
        refused().on_writes().under("feed/"),
    ] {
        let (world, ledger) = world();
        let eid = world.start(Start::new("steps").input(&2_u64)).eid;
        let what = async {
            sleep(&world, 5 * SECOND).await;
            world.faults.add(rule.lasting(40 * SECOND));
        };
        let run = world.engine.run(eid, world.causes(eid));
        let (ended, ()) = world.block(futures::future::join(run, what));
        assert!(ended.is_err(), "{ended:?}");
        world.skip(120 * SECOND);
        assert_eq!(world.result::<u64>(eid), Ok(2));
        assert_eq!(attempts(&world, eid), [1, 1]);
        assert_eq!(ledger.wrong(), Vec::<String>::new());
    }
}
