//! The polling worker, on manual time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::join;

use super::ledger::Ledger;
use super::{App, Ended, neighbour, sequential, told};
use crate::domain::{Eid, Queue, Status};
use crate::doors::{Clock, Fault};
use crate::runtime::{Notice, Signal, Start, Worker, WorkerEvent, WorkerOptions};
use crate::testing::{Fate, Rule, Verb, World};
use crate::{Attempt, Context, Failed, StepError};

const SECOND: Duration = Duration::from_secs(1);

/// `n` steps of ten seconds.
async fn slow(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for at in 0..n {
        let ledger = ledger.clone();
        let step = ctx.step("slow", move |attempt: Attempt| {
            let ledger = ledger.clone();
            async move {
                ledger.effect(&attempt);
                ledger.clock().sleep(10 * SECOND).await;
                Ok::<_, StepError>(at)
            }
        });
        sum += step.await?;
    }
    Ok(sum)
}

async fn nap(ctx: Context, seconds: u64) -> Result<u64, Failed> {
    ctx.sleep(Duration::from_secs(seconds)).await?;
    Ok(seconds)
}

async fn hears(ctx: Context, _: ()) -> Result<u64, Failed> {
    Ok(ctx.receive::<u64>("in").await?)
}

fn app(ledger: &Ledger) -> App {
    let ledger = ledger.clone();
    App::new()
        .workflow("slow", "1", move |ctx, n| slow(ctx, ledger.clone(), n))
        .workflow("nap", "1", nap)
        .workflow("hears", "1", hears)
        .workflow("sequential", "1", sequential)
}

fn world() -> (World, Ledger) {
    let ledger = Ledger::default();
    let world = World::new(app(&ledger));
    ledger.open(&world);
    (world, ledger)
}

/// What a worker said, and when.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<(Duration, WorkerEvent)>>>);

impl Log {
    fn all(&self) -> Vec<(Duration, WorkerEvent)> {
        self.0.lock().unwrap().clone()
    }

    fn count(&self, fits: impl Fn(&WorkerEvent) -> bool) -> usize {
        self.all().iter().filter(|(_, event)| fits(event)).count()
    }

    fn ended(&self, eid: Eid) -> Vec<(Duration, Ended)> {
        let all = self.all().into_iter();
        all.filter_map(|(at, event)| match event {
            WorkerEvent::Ended(of, ended) if of == eid => Some((at, ended)),
            _ => None,
        })
        .collect()
    }
}

fn options(world: &World, log: &Log) -> WorkerOptions {
    let (log, clock) = (log.clone(), Arc::clone(&world.clock));
    WorkerOptions {
        watch: Some(Arc::new(move |event| {
            let at = clock.monotonic();
            log.0.lock().unwrap().push((at, event.clone()));
        })),
        ..WorkerOptions::default()
    }
}

/// Runs a worker of `process` beside `what`, then stops it.
fn beside(process: &World, options: WorkerOptions, what: impl Future<Output = ()>) {
    let (stop, abandon) = (Notice::new(), Notice::new());
    let worker = Worker::new(&process.engine, options);
    let word = async {
        what.await;
        stop.set();
    };
    process.block(join(worker.run(&stop, &abandon), word));
}

async fn sleep(world: &World, time: Duration) {
    world.clock.sleep(time).await;
}

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
            WorkerEvent::Blind(_) => {}
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
        let eid = world.engine.start(Start::new("hears")).await.unwrap().eid;
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
fn an_alarm_is_served_when_it_is_due_whoever_set_it() {
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
fn i4_an_alarm_behind_a_page_of_others_is_found() {
    let (world, _) = world();
    let log = Log::default();
    let other = Queue::parse("other").unwrap();
    let doors = world.engine.doors();
    for n in 0..1_500_u128 {
        let eid = Eid::new(uuid::Uuid::from_u128(n + 1));
        let key = crate::keys::alarm(world.clock.now(), &other, &eid, 1);
        let _ = world.block(doors.create(&key, "{}".into())).unwrap();
    }
    let eid = world.start(Start::new("nap").input(&5_u64)).eid;
    beside(&world, options(&world, &log), sleep(&world, 60 * SECOND));
    assert_eq!(
        world.status(eid),
        Status::Completed,
        "hidden by alarms of another queue"
    );
}

#[test]
fn i4_what_a_dead_process_held_is_run_when_its_ownership_ends() {
    let (world, ledger) = world();
    let log = Log::default();
    let eid = world.start(Start::new("slow").input(&2_u64)).eid;
    let dead = world.beside(app(&ledger), "dead", 3);
    dead.faults
        .add(Rule::new(Fate::LandedAndDied).on(Verb::Write).under("x/"));
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

#[test]
fn a_store_that_is_down_for_ten_minutes_loses_nothing_and_is_told_of_once() {
    for fault in [Fault::Unavailable, Fault::Throttled, Fault::Denied] {
        let (world, ledger) = world();
        let log = Log::default();
        let mut eids = Vec::new();
        for n in 0..3_u64 {
            eids.push(world.start(Start::new("slow").input(&(n + 1))).eid);
            eids.push(world.start(Start::new("nap").input(&(n * 300))).eid);
        }
        let client = neighbour(&world, || app(&ledger), 5);
        let hearer = world.start(Start::new("hears")).eid;
        eids.push(hearer);
        let what = async {
            sleep(&world, 15 * SECOND).await;
            world.faults.add(Rule::new(Fate::Error(fault)).always());
            sleep(&world, 60 * SECOND).await;
            client
                .engine
                .signal(hearer, Signal::on("in").value(&4_u64))
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
        let blind = log.count(|event| matches!(event, WorkerEvent::Blind(_)));
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
    let story = told(&world, eid);
    let done = story
        .iter()
        .filter(|e| e.starts_with("frame.completed"))
        .count();
    assert_eq!((done, ledger.runs(eid, "slow")), (2, 2), "{story:#?}");
    assert_eq!(world.status(eid), Status::Running);
    let mails = world.causes(eid).mail;
    assert!(
        mails.len() == 1 && mails[0].as_str().contains("/slice."),
        "{mails:?}"
    );
    let next = world.beside(app(&ledger), "next", 7);
    beside(&next, options(&world, &log), sleep(&world, 40 * SECOND));
    assert_eq!(world.result::<u64>(eid), Ok(10));
    assert_eq!(ledger.runs(eid, "slow"), 5, "no attempt was lost");
    assert!(world.with_work().is_empty());
}

#[test]
fn a_worker_that_is_abandoned_leaves_its_attempts_to_be_told_lost() {
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
        let story = told(&world, eid);
        assert!(
            story.contains(&"frame.suspended root/slow#0".to_owned()),
            "{story:#?}"
        );
    }
}

#[test]
fn what_nobody_here_knows_is_left_and_the_rest_is_served() {
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
