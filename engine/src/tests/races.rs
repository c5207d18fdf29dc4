//! Two and three processes on one execution.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{join, join3};

use super::ledger::Ledger;
use super::story::Stories;
use super::{App, Ended, clocked, keyed, neighbour};
use crate::client::{Signal, Start};
use crate::ports::Clock;
use crate::testing::{Injection, ManualClock, Pool, Rule, Verb, World};
use crate::{Attempt, Context, Failed, StepError};

async fn nap(ctx: Context, nanos: u64) -> Result<u64, Failed> {
    ctx.sleep(Duration::from_nanos(nanos)).await?;
    Ok(nanos)
}

fn napping() -> App {
    App::new().workflow("nap", "1", nap)
}

#[test]
pub(super) fn case_04_a6_a_timer_is_fired_by_a_worker_whose_clock_lags_to_the_nanosecond() {
    // A6: the timer proves its instant, also where the key holds less than the due.
    for nanos in [3_600_000_000_000_u64, 3_600_000_000_001, 3_600_000_000_999] {
        for behind in ["2025-12-31T23:30:00Z", "2026-01-01T00:59:58Z"] {
            let world = World::new(napping());
            let eid = world.start(Start::new("nap").input(&nanos)).eid;
            world.run(eid).unwrap();
            let behind = Arc::new(ManualClock::new(behind.parse().unwrap()));
            world.clock.advance(Duration::from_secs(3601));
            let slow = clocked(world.beside(napping(), "slow", 2), napping(), behind);
            let ended = slow.run(eid).unwrap();
            assert!(matches!(ended, Ended::Terminal(_)), "{nanos}: {ended:?}");
            assert!(world.with_work().is_empty(), "{nanos}");
            let commits = world
                .block(world.engine.journal(eid, 0, 99))
                .unwrap()
                .commits;
            assert!(
                commits.is_sorted_by_key(|commit| commit.at),
                "instants decrease"
            );
        }
    }
}

/// Three steps, each of twelve seconds.
async fn slow(ctx: Context, ledger: Ledger) -> Result<u64, Failed> {
    let mut sum = 0;
    for n in 0..3_u64 {
        let ledger = ledger.clone();
        let step = ctx.step("slow", move |attempt: Attempt| {
            let ledger = ledger.clone();
            async move {
                ledger.effect(&attempt);
                ledger.clock().sleep(Duration::from_secs(12)).await;
                Ok::<_, StepError>(n)
            }
        });
        // Each steal costs an attempt.
        sum += step.retry(crate::Retry::none().max_lost(500)).await?;
    }
    Ok(sum + ctx.receive::<u64>("in").await?)
}

fn slowly(ledger: &Ledger) -> App {
    let ledger = ledger.clone();
    App::new().workflow("slow", "1", move |ctx, (): ()| slow(ctx, ledger.clone()))
}

fn slow_world() -> (World, Ledger) {
    let ledger = Ledger::default();
    let settings = crate::settings::Settings {
        max_crashes: 500,
        ..super::patient()
    };
    let world = World::with_settings(slowly(&ledger), settings);
    world.memory.record();
    ledger.open(&world);
    world.start(Start::new("slow").key("slow"));
    world
        .signal(keyed("slow"), Signal::on("in").value(&7_u64))
        .unwrap();
    (world, ledger)
}

#[test]
pub(super) fn i1_i2_a_stalled_lease_that_wakes_up_writes_deletes_and_begins_nothing() {
    let eid = keyed("slow");
    // Stalled in each of its steps, and in the wait before a renewal.
    for stalled_at in [1, 5, 11, 13, 23, 25, 35] {
        let (world, ledger) = slow_world();
        let first = world.beside(slowly(&ledger), "first", 2);
        let mut running = pin!(first.engine.run(eid, first.causes(eid)));
        let end = Duration::from_secs(stalled_at);
        while world.clock.monotonic() < end {
            assert!(first.pool.run_until_stalled(running.as_mut()).is_none());
            world.clock.advance(Duration::from_secs(1));
        }
        // It stops here; another one takes over and finishes.
        world.clock.advance(Duration::from_secs(31));
        world.run_all();
        assert_eq!(world.result::<u64>(eid), Ok(10), "stalled at {stalled_at}");
        let (before, done) = (world.memory.snapshot(), ledger.done());
        let written = world.memory.recorded().len();
        let ended = first.pool.run_until(&world.clock, running);
        assert_eq!(ended.unwrap(), Ended::Lost, "stalled at {stalled_at}");
        assert_eq!(world.memory.snapshot(), before);
        assert_eq!(world.memory.recorded().len(), written);
        assert_eq!(ledger.done(), done, "an attempt began after the steal");
        assert_eq!(first.pool.tasks(), 0, "an attempt runs on");
        assert_eq!(ledger.wrong(), Vec::<String>::new());
        assert_eq!(Stories::read(&world.memory).all.len(), 1);
    }
}

#[test]
fn i2_case_07_of_two_that_find_the_same_expired_lease_one_runs_the_steps() {
    let (eid, at) = (keyed("slow"), Duration::from_secs(31));
    for verb in [Verb::Read, Verb::List, Verb::Replace] {
        let (world, ledger) = slow_world();
        let dead = world.beside(slowly(&ledger), "dead", 2);
        dead.faults
            .add(Rule::new(Injection::LandedAndDied).on_writes());
        assert!(dead.run(eid).is_err());
        world.clock.advance(at);
        let late = neighbour(&world, || slowly(&ledger), 3);
        let fast = neighbour(&world, || slowly(&ledger), 4);
        late.faults
            .add(Rule::new(Injection::Delay(Duration::from_secs(600))).on(verb));
        let causes = world.causes(eid);
        let both = join(
            late.engine.run(eid, causes.clone()),
            fast.engine.run(eid, causes),
        );
        let (late_ended, fast_ended) = world.block(both);
        assert!(matches!(fast_ended.unwrap(), Ended::Terminal(_)), "{verb}");
        assert!(
            !matches!(late_ended.unwrap(), Ended::Suspended(_)),
            "{verb}"
        );
        assert_eq!(world.result::<u64>(eid), Ok(10));
        assert_eq!(
            ledger.runs(eid, "slow"),
            3,
            "{verb}: the dead one never began"
        );
        assert_eq!(ledger.wrong(), Vec::<String>::new());
        world.skip(Duration::from_secs(60));
        assert!(world.with_work().is_empty());
    }
}

/// A process whose every request takes up to `most`, by `seed`.
fn jittery(world: &World, ledger: &Ledger, seed: u64, most: u64) -> World {
    let process = neighbour(world, || slowly(ledger), seed);
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for at in 0..400 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let delay = Duration::from_millis(state % most);
        process
            .faults
            .add(Rule::new(Injection::Delay(delay)).at(at));
    }
    process
}

/// Runs whatever has work, again and again, as a worker without memory does.
async fn at_work(process: &World, rounds: u32) {
    for _ in 0..rounds {
        for eid in process.with_work() {
            let _ = process.engine.run(eid, process.causes(eid)).await;
        }
        process.clock.sleep(Duration::from_millis(700)).await;
    }
}

#[test]
fn i1_i2_i3_three_processes_on_a_slow_store_keep_one_chain() {
    for seed in 1..40 {
        // Delays below, about and far over the time a lease lasts.
        let most = [400, 4_000, 20_000, 60_000][usize::try_from(seed % 4).unwrap()];
        let (world, ledger) = slow_world();
        let [a, b, c] = [1, 2, 3].map(|n| jittery(&world, &ledger, seed * 10 + n, most));
        let all = join3(at_work(&a, 12), at_work(&b, 12), at_work(&c, 12));
        world.block(all);
        world.skip(Duration::from_secs(200));
        let eid = keyed("slow");
        assert_eq!(world.result::<u64>(eid), Ok(10), "SEED={seed}");
        assert_eq!(ledger.wrong(), Vec::<String>::new(), "SEED={seed}");
        assert!(world.with_work().is_empty(), "SEED={seed}");
        let stories = Stories::read(&world.memory);
        stories.all[&eid].check();
        let began: usize = stories.all[&eid].attempts().values().map(Vec::len).sum();
        assert!(ledger.runs(eid, "slow") <= began, "SEED={seed}");
    }
}

#[test]
fn a_pool_can_be_left_and_gone_on_with() {
    let (pool, clock) = (Pool::new(), ManualClock::new(jiff::Timestamp::UNIX_EPOCH));
    let mut sleep = pin!(clock.sleep(Duration::from_secs(1)));
    assert!(pool.run_until_stalled(sleep.as_mut()).is_none());
    pool.run_until(&clock, sleep);
}
