//! What a worker looks at, when, and in which order.

use std::collections::BTreeMap;

use super::super::{Ended, neighbour};
use super::{Log, SECOND, app, beside, options, sleep, world};
use crate::client::{Signal, Start};
use crate::domain::{ExecutionId, Queue, Status};
use crate::ports::Clock;
use crate::testing::{Injection, Rule};
use crate::worker::{WorkerEvent, WorkerOptions};

#[test]
fn queues_are_served_in_order_and_no_more_run_at_once_than_there_is_room_for() {
    let (world, _) = world();
    let log = Log::default();
    let mut of = BTreeMap::new();
    for queue in ["cold", "warm", "hot"] {
        for _ in 0..6 {
            let start = Start::new("slow").input(&1_u64).queue(queue);
            of.insert(world.start(start).eid, queue);
        }
    }
    let options = WorkerOptions {
        queues: ["hot", "warm", "cold"]
            .map(|q| Queue::parse(q).unwrap())
            .to_vec(),
        concurrency: 4,
        ..options(&world, &log)
    };
    beside(&world, options, sleep(&world, 120 * SECOND));
    let (mut running, mut most, mut order) = (0_i32, 0, Vec::new());
    for (_, event) in log.all() {
        match event {
            WorkerEvent::Began(eid) => {
                running += 1;
                if !order.contains(&eid) {
                    order.push(eid);
                }
            }
            WorkerEvent::Ended(..) | WorkerEvent::Failed(..) => running -= 1,
            WorkerEvent::FoundMail { .. }
            | WorkerEvent::FoundTimers { .. }
            | WorkerEvent::PollFailing(_)
            | WorkerEvent::PollRecovered => {}
        }
        most = most.max(running);
    }
    assert_eq!(most, 4);
    let order: Vec<&str> = order.iter().map(|eid| of[eid]).collect();
    assert!(
        order.is_sorted_by_key(|q| ["hot", "warm", "cold"].iter().position(|x| x == q)),
        "{order:?}"
    );
    for eid in of.keys() {
        assert_eq!(world.status(*eid), Status::Completed);
    }
}

#[test]
fn an_idle_worker_looks_less_and_less_often_with_two_lists_a_look_and_nothing_else() {
    let (world, _) = world();
    let (idle, log) = (60 * SECOND, Log::default());
    let options = WorkerOptions {
        idle,
        ..options(&world, &log)
    };
    let ((), counts) = world.counted(|w| beside(w, options, sleep(w, 3600 * SECOND)));
    assert_eq!((counts.reads, counts.writes, counts.deletes), (0, 0, 0));
    // 20 ms, 40 ms, ... 60 s, then each minute.
    assert!((2 * 70..=2 * 75).contains(&counts.lists), "{counts:?}");
    assert_eq!(counts.lists % 2, 0);
}

#[test]
fn a_worker_whose_doorbell_rings_does_not_wait_for_its_next_look() {
    let (world, _) = world();
    let log = Log::default();
    let options = WorkerOptions {
        idle: 3600 * SECOND,
        busy: 1800 * SECOND,
        ..options(&world, &log)
    };
    let what = async {
        sleep(&world, 10 * SECOND).await;
        let eid = world
            .engine
            .start(Start::new("receives"))
            .await
            .unwrap()
            .eid;
        sleep(&world, SECOND).await;
        world
            .engine
            .signal(eid, Signal::on("in").value(&4_u64))
            .await
            .unwrap();
        sleep(&world, SECOND).await;
        assert_eq!(world.engine.status(eid).await.unwrap(), Status::Completed);
    };
    beside(&world, options, what);
    let lists = world
        .counting
        .log()
        .iter()
        .filter(|r| r.key == "timers/")
        .count();
    assert_eq!(lists, 1, "one look, at its start");
}

#[test]
fn a_timer_is_served_when_it_is_due_whoever_set_it() {
    let (world, ledger) = world();
    let log = Log::default();
    let options = WorkerOptions {
        idle: 600 * SECOND,
        busy: 600 * SECOND,
        ..options(&world, &log)
    };
    let other = neighbour(&world, || app(&ledger), 5);
    let theirs = other.start(Start::new("nap").input(&1_000_u64)).eid;
    other.run_all();
    let mut mine = None;
    let what = async {
        let eid = world
            .engine
            .start(Start::new("nap").input(&90_u64))
            .await
            .unwrap()
            .eid;
        mine = Some(eid);
        sleep(&world, 2_000 * SECOND).await;
    };
    beside(&world, options, what);
    for (eid, due) in [(mine.unwrap(), 90 * SECOND), (theirs, 1_000 * SECOND)] {
        let (at, ended) = log.ended(eid).pop().unwrap();
        assert_eq!(ended, Ended::Terminal(Status::Completed));
        assert!(at >= due && at < due + SECOND, "due={due:?} at={at:?}");
    }
}

#[test]
fn i4_a_timer_behind_a_page_of_others_is_found() {
    let (world, _) = world();
    let log = Log::default();
    let other = Queue::parse("other").unwrap();
    let ports = world.engine.ports();
    for n in 0..1_500_u128 {
        let eid = ExecutionId::new(uuid::Uuid::from_u128(n + 1));
        let key = crate::keys::timer(world.clock.now(), &other, &eid, 1);
        let _ = world.block(ports.create(&key, "{}".into())).unwrap();
    }
    let eid = world.start(Start::new("nap").input(&5_u64)).eid;
    let ((), counts) = world.counted(|world| {
        beside(world, options(world, &log), sleep(world, 60 * SECOND));
    });
    let status = world.status(eid);
    assert_eq!(status, Status::Completed, "hidden by another queue's");
    // A mail and a timer list a look, two looks each second in the end.
    assert!(counts.lists < 350, "{counts:?}");
}

#[test]
fn i4_what_a_dead_process_held_is_run_when_its_lease_ends() {
    let (world, ledger) = world();
    let log = Log::default();
    let eid = world.start(Start::new("slow").input(&2_u64)).eid;
    let dead = world.beside(app(&ledger), "dead", 3);
    dead.faults
        .add(Rule::new(Injection::LandedAndDied).on_writes().under("x/"));
    assert!(dead.run(eid).is_err());
    let options = WorkerOptions {
        idle: 3600 * SECOND,
        busy: 1800 * SECOND,
        ..options(&world, &log)
    };
    beside(&world, options, sleep(&world, 120 * SECOND));
    let ended = log.ended(eid);
    assert!(matches!(ended[0].1, Ended::Held(_)), "{ended:?}");
    let (at, last) = ended.last().unwrap();
    assert_eq!(*last, Ended::Terminal(Status::Completed));
    assert!(*at < 60 * SECOND, "{ended:?}");
    assert!(
        ended.len() <= 4,
        "it is asked for once, not again and again: {ended:?}"
    );
}
