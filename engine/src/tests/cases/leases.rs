//! Case 8: a process that takes work while it drains, and dies. Case 9: a step that must not
//! run twice.

use futures::future::join;

use super::super::ledger::Ledger;
use super::super::worker::slow;
use super::super::{App, keyed, neighbour};
use super::{SECOND, attempts};
use crate::client::Start;
use crate::domain::Status;
use crate::ports::Clock;
use crate::process::Notice;
use crate::sweeper::Sweeper;
use crate::testing::{Injection, Rule, World};
use crate::worker::{Worker, WorkerOptions};
use crate::{Attempt, Context, Failed, FrameError, Retry};

/// A step that must not run twice: 1 if it ran, 2 if that is unknown.
async fn once(ctx: Context, ledger: Ledger) -> Result<u64, Failed> {
    let step = ctx.step("once", move |attempt: Attempt| {
        ledger.clone().gives(attempt, 1)
    });
    match step.retry(Retry::none().max_lost(0)).await {
        Err(FrameError::StepFailed { failure, .. }) if failure.kind == "attempt_lost" => Ok(2),
        other => Ok(other?),
    }
}

fn app(ledger: &Ledger) -> App {
    let (a, b) = (ledger.clone(), ledger.clone());
    App::new()
        .workflow("slow", "1", move |ctx, n| slow(ctx, a.clone(), n))
        .workflow("once", "1", move |ctx, (): ()| once(ctx, b.clone()))
}

fn world() -> (World, Ledger) {
    Ledger::world(app)
}

#[test]
fn case_08_work_that_a_draining_process_took_after_the_first_sweep_moves_on_when_it_dies() {
    let (ttl, sweep) = (30 * SECOND, 20 * SECOND);
    for (writes, injection) in [
        (0, Injection::Died),
        (0, Injection::LandedAndDied),
        (1, Injection::LandedAndDied),
    ] {
        let (world, ledger) = world();
        let old = neighbour(&world, || app(&ledger), 2);
        let dies = Rule::new(injection).on_writes().under("x/");
        // The starter's writes are not its own.
        old.faults.add(dies.skip(writes));
        let next = neighbour(&world, || app(&ledger), 3);
        // The replacement looks by itself once an hour: the sweeper is what brings it work.
        let options = WorkerOptions {
            idle: 3_600 * SECOND,
            busy: 3_600 * SECOND,
            ..WorkerOptions::default()
        };
        let (stop, never) = (Notice::new(), Notice::new());
        let worker = Worker::new(&next.engine, options);
        let sweeper = Sweeper::new(&next.engine);
        let eid = keyed("k");
        let story = async {
            world.clock.sleep(SECOND).await; // the first sweep and the first look were before
            let start = Start::new("slow").input(&2_u64).key("k");
            world.engine.start(start).await.unwrap();
            let _ = old.engine.run(eid, old.causes(eid)).await;
            assert!(old.faults.is_dead());
            let died = world.clock.monotonic();
            // Two steps of ten seconds, and as long as a lost attempt's retry is put off.
            let enough = ttl + sweep + 22 * SECOND;
            world.clock.sleep(enough).await;
            let status = world.engine.status(eid).await.unwrap();
            let now = world.clock.monotonic() - died;
            assert_eq!(
                status,
                Status::Completed,
                "{injection:?} at {writes} after {now:?}"
            );
            stop.set();
        };
        let both = join(worker.run(&stop, &never), sweeper.run(sweep, &stop));
        world.block(join(both, story));
        assert_eq!(world.result::<u64>(eid), Ok(1));
        assert_eq!(ledger.wrong(), Vec::<String>::new());
    }
}

#[test]
fn case_09_a_step_that_must_not_run_twice_goes_to_unknown_wherever_its_process_dies() {
    let mut ends = Vec::new();
    for at in 0.. {
        let mut cut = 0;
        for injection in [
            Injection::Died,
            Injection::LandedAndDied,
            Injection::LandedReplyLost,
        ] {
            let (world, ledger) = world();
            let eid = world.start(Start::new("once")).eid;
            let process = world.beside(app(&ledger), "first", 2);
            process.faults.add(Rule::new(injection).at(at));
            let _ = process.run(eid);
            cut += process.faults.met();
            world.skip(120 * SECOND);
            assert_eq!(
                world.status(eid),
                Status::Completed,
                "{injection:?} at {at}"
            );
            // The record of the start precedes the effect; there are no more effects than it.
            assert_eq!(
                ledger.wrong(),
                Vec::<String>::new(),
                "{injection:?} at {at}"
            );
            assert_eq!(attempts(&world, eid), [1], "{injection:?} at {at}");
            let runs = ledger.runs(eid, "once");
            assert!(runs <= 1, "{injection:?} at {at}: it ran {runs} times");
            let end: u64 = world.result(eid).unwrap();
            assert!(end == 2 || runs == 1, "{injection:?} at {at}");
            ends.push(end);
        }
        if cut == 0 {
            break;
        }
    }
    assert!(ends.contains(&1) && ends.contains(&2), "{ends:?}");
}
