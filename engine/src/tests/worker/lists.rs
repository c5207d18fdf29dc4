//! Lists that fail, one by one, and what a store asks for.

use std::time::Duration;

use futures::future::join;

use super::super::neighbour;
use super::{Log, SECOND, app, beside, options, sleep, world};
use crate::client::Start;
use crate::domain::{Queue, Status};
use crate::ports::Clock;
use crate::process::Notice;
use crate::testing::{Injection, Rule, Verb};
use crate::worker::{Worker, WorkerOptions};

#[test]
fn one_answer_that_asks_for_a_day_or_for_ever_keeps_a_worker_for_a_minute() {
    let places = [
        ("mail/", Verb::List),
        ("timers/", Verb::List),
        ("x/", Verb::Read),
    ];
    for asked in [86_400 * SECOND, Duration::MAX] {
        for (under, verb) in places {
            let (world, ledger) = world();
            let client = neighbour(&world, || app(&ledger), 5);
            let start = Start::new("sequential").input(&3_u64).key("k");
            let once = Rule::new(Injection::SlowDown(Some(asked))).under(under);
            let what = async {
                sleep(&world, 5 * SECOND).await;
                world.faults.add(once.on(verb));
                sleep(&world, 2 * SECOND).await;
                let eid = client.engine.start(start).await.unwrap().eid;
                sleep(&world, 70 * SECOND).await;
                let status = client.engine.status(eid).await.unwrap();
                assert_eq!(status, Status::Completed, "{asked:?} {under}");
            };
            beside(&world, options(&world, &Log::default()), what);
            assert_eq!(world.faults.met(), 1, "{asked:?} {under}");
        }
    }
}

#[test]
fn i4_a_queue_that_cannot_be_listed_hides_neither_another_nor_the_timers() {
    for asked in [None, Some(15 * SECOND)] {
        let (world, ledger) = world();
        let client = neighbour(&world, || app(&ledger), 5);
        let dead = Rule::new(Injection::SlowDown(asked)).under("mail/a/");
        world.faults.add(dead.on(Verb::List).always());
        let queues = ["a", "b"].map(|name| Queue::parse(name).unwrap()).to_vec();
        let options = WorkerOptions {
            queues,
            ..options(&world, &Log::default())
        };
        let what = async {
            let nap = Start::new("nap").input(&10_u64).queue("b");
            let eid = client.engine.start(nap).await.unwrap().eid;
            sleep(&world, 20 * SECOND).await;
            let status = client.engine.status(eid).await.unwrap();
            assert_eq!(status, Status::Completed, "{asked:?}");
        };
        beside(&world, options, what);
    }
}

#[test]
fn a_worker_that_is_asked_to_stop_while_a_list_is_not_answered_stops() {
    let (world, _) = world();
    world.faults.add(
        Rule::new(Injection::Delay(300 * SECOND))
            .on(Verb::List)
            .always(),
    );
    let (stop, abandon) = (Notice::new(), Notice::new());
    let worker = Worker::new(&world.engine, options(&world, &Log::default()));
    let word = async {
        sleep(&world, 2 * SECOND).await;
        stop.set();
    };
    world.block(join(worker.run(&stop, &abandon), word));
    assert_eq!(world.clock.monotonic(), 2 * SECOND);
}
