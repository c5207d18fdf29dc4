//! A worker that stops, a store that is down, work that is not registered here.

use futures::future::join;

use super::super::{Ended, neighbour, reported};
use super::{Log, SECOND, app, beside, nap, options, sleep, world};
use crate::client::{Signal, Start};
use crate::domain::Status;
use crate::ports::{Clock, Fault};
use crate::process::Notice;
use crate::testing::{Injection, Rule};
use crate::worker::{Worker, WorkerEvent, WorkerOptions};

#[test]
fn a_store_that_is_down_for_ten_minutes_loses_nothing_and_is_reported_once() {
    for fault in [Fault::Unavailable, Fault::Throttled, Fault::Denied] {
        let (world, ledger) = world();
        let log = Log::default();
        let mut eids = Vec::new();
        for n in 0..3_u64 {
            eids.push(world.start(Start::new("slow").input(&(n + 1))).eid);
            eids.push(world.start(Start::new("nap").input(&(n * 300))).eid);
        }
        let client = neighbour(&world, || app(&ledger), 5);
        let receiver = world.start(Start::new("receives")).eid;
        eids.push(receiver);
        let what = async {
            sleep(&world, 15 * SECOND).await;
            world
                .faults
                .add(Rule::new(Injection::Error(fault)).always());
            sleep(&world, 60 * SECOND).await;
            client
                .engine
                .signal(receiver, Signal::on("in").value(&4_u64))
                .await
                .unwrap();
            sleep(&world, 540 * SECOND).await;
            world.faults.heal();
            sleep(&world, 300 * SECOND).await;
        };
        let before = world.faults.requests();
        beside(&world, options(&world, &log), what);
        for eid in &eids {
            assert_eq!(world.status(*eid), Status::Completed, "{fault:?}");
        }
        assert_eq!(ledger.wrong(), Vec::<String>::new());
        let blind = log.count(|event| matches!(event, WorkerEvent::PollFailing(_)));
        assert_eq!(blind, 1, "{fault:?}");
        let asked = world.faults.requests() - before;
        assert!(asked < 20_000, "{fault:?}: it asked {asked} times");
        assert!(world.with_work().is_empty());
    }
}

#[test]
fn a_worker_that_stops_commits_what_runs_and_hands_over_the_rest() {
    let (world, ledger) = world();
    let log = Log::default();
    let eid = world.start(Start::new("slow").input(&5_u64)).eid;
    beside(&world, options(&world, &log), sleep(&world, 15 * SECOND));
    assert_eq!(
        world.clock.monotonic(),
        20 * SECOND,
        "the attempt under way may end"
    );
    assert_eq!(log.ended(eid).pop().unwrap().1, Ended::Sliced);
    let story = reported(&world, eid);
    let done = story
        .iter()
        .filter(|e| e.starts_with("frame.completed"))
        .count();
    assert_eq!((done, ledger.runs(eid, "slow")), (2, 2), "{story:#?}");
    assert_eq!(world.status(eid), Status::Running);
    let mails = world.causes(eid).mail;
    assert!(
        mails.len() == 1 && mails[0].as_str().contains("/0."),
        "{mails:?}"
    );
    let next = world.beside(app(&ledger), "next", 7);
    beside(&next, options(&world, &log), sleep(&world, 40 * SECOND));
    assert_eq!(world.result::<u64>(eid), Ok(10));
    assert_eq!(ledger.runs(eid, "slow"), 5, "no attempt was lost");
    assert!(world.with_work().is_empty());
}

#[test]
fn a_worker_that_is_abandoned_leaves_its_attempts_to_be_reported_lost() {
    for abandoned in [true, false] {
        let (world, ledger) = world();
        let log = Log::default();
        let eid = world.start(Start::new("slow").input(&2_u64)).eid;
        let (stop, abandon) = (Notice::new(), Notice::new());
        let margin = SECOND;
        let worker = Worker::new(
            &world.engine,
            WorkerOptions {
                margin,
                ..options(&world, &log)
            },
        );
        let word = async {
            sleep(&world, 5 * SECOND).await;
            stop.set();
            if abandoned {
                abandon.set();
            }
        };
        world.block(join(worker.run(&stop, &abandon), word));
        assert!(world.clock.monotonic() <= 7 * SECOND);
        assert_eq!(world.pool.tasks(), 0, "nothing runs on");
        assert!(!world.causes(eid).mail.is_empty(), "its cause is there");
        let next = world.beside(app(&ledger), "next", 7);
        beside(&next, options(&world, &log), sleep(&world, 80 * SECOND));
        assert_eq!(world.result::<u64>(eid), Ok(1));
        assert_eq!(ledger.runs(eid, "slow"), 3, "one attempt was lost");
        let story = reported(&world, eid);
        assert!(
            story.contains(&"frame.suspended root/slow#0".to_owned()),
            "{story:#?}"
        );
    }
}

#[test]
fn unregistered_workflows_are_left_and_the_rest_is_served() {
    let (world, ledger) = world();
    let log = Log::default();
    let newer = || {
        app(&ledger)
            .workflow("new", "2", nap)
            .workflow("nap", "9", nap)
    };
    let other = world.beside(newer(), "newer", 5);
    let unknown = other.start(Start::new("new").input(&1_u64)).eid;
    let version = other
        .start(Start::new("nap").version("9").input(&1_u64))
        .eid;
    let known = world.start(Start::new("sequential").input(&4_u64)).eid;
    let ((), counts) = world.counted(|world| {
        beside(world, options(world, &log), sleep(world, 600 * SECOND));
    });
    assert_eq!(world.result::<u64>(known), Ok(6));
    for eid in [unknown, version] {
        assert!(!world.causes(eid).mail.is_empty(), "its mail stays");
        assert_eq!(world.status(eid), Status::Pending);
        let tries = log.ended(eid);
        assert!(
            tries
                .iter()
                .all(|(_, e)| matches!(e, Ended::Unregistered(..)))
        );
        // 0.1 s, 0.2 s, ... 30 s, then each half minute.
        assert!((20..=40).contains(&tries.len()), "{} tries", tries.len());
    }
    assert!(counts.writes < 20, "{counts:?}");
    other.run_all();
    world.clock.advance(2 * SECOND);
    other.run_all();
    assert_eq!(world.status(version), Status::Completed);
}
