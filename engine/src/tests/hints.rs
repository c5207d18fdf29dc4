//! Which hints the wake-up port receives, and when.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;

use super::keyed;
use crate::client::{Engine, Start};
use crate::domain::{ExecutionId, MessageId, Queue, Status};
use crate::keys::{self, TimerKey};
use crate::ports::{Clock as _, Hint, Ports, Wakeups};
use crate::process::App;
use crate::run::{Causes, Ended, Stop};
use crate::sweeper::{Position, Sweeper, Swept};
use crate::testing::World;
use crate::{Context, Failed, StepError};

/// Records hints, in order.
#[derive(Debug, Default)]
struct Recorder(Mutex<Vec<Hint>>);

impl Recorder {
    fn take(&self) -> Vec<Hint> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

#[async_trait]
impl Wakeups for Recorder {
    async fn notify(&self, hint: Hint) {
        self.0.lock().unwrap().push(hint);
    }

    async fn next(&self, _: &[Queue]) -> Hint {
        std::future::pending().await
    }
}

async fn nap(ctx: Context, seconds: u64) -> Result<u64, Failed> {
    ctx.sleep(Duration::from_secs(seconds)).await?;
    Ok(seconds)
}

async fn two(ctx: Context, _: u64) -> Result<u64, Failed> {
    let one: u64 = ctx.step("one", || async { Ok::<_, StepError>(1) }).await?;
    let two: u64 = ctx.step("two", || async { Ok::<_, StepError>(2) }).await?;
    Ok(one + two)
}

fn app() -> App {
    App::new()
        .workflow("nap", "1", nap)
        .workflow("two", "1", two)
}

fn world() -> (World, Engine, Arc<Recorder>) {
    let world = World::new(app());
    let received = Arc::new(Recorder::default());
    let ports = Ports {
        wakeups: Arc::clone(&received) as Arc<dyn Wakeups>,
        ..world.engine.ports().clone()
    };
    let host = world.engine.core().host.clone();
    let engine = Engine::new(ports, app(), host).unwrap();
    (world, engine, received)
}

#[test]
fn a_timer_is_reported_with_its_instant_after_it_is_in_the_bucket() {
    let (world, engine, received) = world();
    let eid = world
        .block(engine.start(Start::new("nap").input(&40_u64)))
        .unwrap()
        .eid;
    let started = received.take();
    assert_eq!((started.len(), started[0].at), (1, None));
    world.block(engine.run(eid, world.causes(eid))).unwrap();
    let reported = received.take();
    assert_eq!(reported.len(), 1, "{reported:?}");
    let due = world.clock.now() + Duration::from_secs(40);
    assert_eq!(reported[0].at, Some(due));
    assert_eq!(TimerKey::parse(&reported[0].cause).unwrap().due, due);
    let objects = world.memory.snapshot();
    assert!(objects.iter().any(|(key, _)| *key == reported[0].cause));
}

#[test]
fn a_sweep_reports_timers_due_now_and_within_its_period_each_for_its_time() {
    let (world, engine, received) = world();
    for seconds in [10_u64, 70, 130, 200] {
        let start = Start::new("nap").input(&seconds);
        let eid = world.block(engine.start(start)).unwrap().eid;
        world.block(engine.run(eid, world.causes(eid))).unwrap();
    }
    received.take();
    let began = world.clock.now();
    let instant = |seconds: u64| began + Duration::from_secs(seconds);
    world.clock.advance(Duration::from_secs(75));
    let sweeper = Sweeper::new(&engine).ahead(Duration::from_secs(60));
    let (swept, counts) = world.counted(|world| world.block(sweeper.pass()).unwrap());
    assert_eq!((swept.timers, swept.ahead), (2, 1));
    assert_eq!((counts.writes, counts.deletes, counts.lists), (0, 0, 2));
    let reported: Vec<_> = received.take().into_iter().map(|hint| hint.at).collect();
    assert_eq!(reported, [None, None, Some(instant(130))]);
    // Twice at once or one after the other: the same hints, and nothing else happens.
    let again = world.block(sweeper.pass()).unwrap();
    assert_eq!((again.timers, again.ahead), (2, 1));
    // Without a period to look ahead: what is due, alone.
    received.take();
    let plain = world.block(Sweeper::new(&engine).pass()).unwrap();
    assert_eq!((plain.timers, plain.ahead), (2, 0));
}

#[test]
fn a_backlog_of_more_pages_than_a_pass_has_is_reported_by_the_next_ones() {
    let (world, engine, received) = world();
    let ports = engine.ports();
    let (many, few) = (Queue::default(), Queue::parse("few").unwrap());
    let (now, eid) = (world.clock.now(), keyed("k"));
    let many = (0..3_000).map(|commit| keys::timer(now, &many, &eid, commit));
    let last = keys::timer(now + Duration::from_secs(1), &few, &eid, 1);
    for key in many.chain([last.clone()]) {
        let created = world.block(ports.create(&key, "{}".into()));
        created.map(drop).unwrap();
    }
    world.clock.advance(Duration::from_secs(2));
    let sweeper = Sweeper::new(&engine);
    let mut swept = Swept::default();
    let (_, counts) = world.counted(|world| {
        world.block(sweeper.resume(&mut swept, 2)).unwrap();
        assert_eq!((swept.timers, swept.whole), (2_000, false));
        world.block(sweeper.resume(&mut swept, 2)).unwrap();
    });
    assert_eq!((swept.timers, swept.whole), (3_001, true));
    assert_eq!(swept.position, Position::default());
    // The queues take turns.
    assert_eq!(received.take()[1].cause, last);
    // In each call one for each thousand timers, and one for the mail, which is empty.
    assert_eq!((counts.lists, counts.writes), (10, 0));
}

#[test]
fn item_9_queues_take_turns_however_large_a_backlog_is() {
    let (world, engine, received) = world();
    let ports = engine.ports();
    let queue = |name| Queue::parse(name).unwrap();
    let (many, few, eid) = (queue("bulk"), queue("default"), keyed("k"));
    let now = world.clock.now();
    let late = now + Duration::from_secs(1);
    // More than a window of timers, then a few of another queue; and mail likewise.
    let timers = (0..100_500).map(|commit| keys::timer(now, &many, &eid, commit));
    let timers = timers.chain((0..3).map(|commit| keys::timer(late, &few, &eid, commit)));
    let mail = |queue: &Queue, n: u128| {
        let eid = ExecutionId::new(uuid::Uuid::from_u128(n));
        keys::mail(queue, &eid, &MessageId::start())
    };
    let mails = (0..2_500)
        .map(|n| mail(&many, n))
        .chain((0..3).map(|n| mail(&few, n)));
    world.block(async {
        for key in timers.chain(mails) {
            ports.create(&key, "{}".into()).await.map(drop).unwrap();
        }
    });
    world.clock.advance(Duration::from_secs(120));
    let sweeper = Sweeper::new(&engine);
    let mut swept = Swept::default();
    let reported = |few: bool| {
        let hints = received.take();
        let named = if few { "default" } else { "bulk" };
        hints
            .iter()
            .filter(|hint| hint.queue.as_str() == named)
            .count()
    };
    // The mail of the small queue comes in the second turn, its timers with the second window.
    world.block(sweeper.resume(&mut swept, 2)).unwrap();
    assert_eq!(reported(true), 3);
    world.block(sweeper.resume(&mut swept, 12)).unwrap();
    assert_eq!(reported(true), 3);
    let mut calls = 0;
    while !swept.whole {
        world.block(sweeper.resume(&mut swept, 50)).unwrap();
        calls += 1;
        assert!(calls < 10, "{swept:?}");
    }
    // The mail was read to its end before, so each call begins it again.
    let rounds = 1 + calls;
    assert_eq!((swept.timers, swept.stale_mail), (100_503, rounds * 2_503));
    assert_eq!(swept.position, Position::default());
    assert_eq!(reported(true), calls * 3);
}

#[test]
fn i4_unserved_causes_are_reported_less_and_less_often_and_never_expired() {
    let (world, engine, received) = world();
    let minute = Duration::from_secs(60);
    let sweeper = |since| Sweeper::new(&engine).ahead(minute).since(since);
    // One has mail, the other a timer.
    let start = |seconds: u64| {
        let started = world.block(engine.start(Start::new("nap").input(&seconds)));
        started.unwrap().eid
    };
    let (mail, timer) = (start(1), start(1));
    world.block(engine.run(timer, world.causes(timer))).unwrap();
    received.take();
    let (mut reported, mut since) = ([Vec::new(), Vec::new()], None);
    for pass in 1..=1_440_u32 {
        world.clock.advance(minute);
        let swept = world.block(sweeper(since).pass()).unwrap();
        since = Some(world.clock.now());
        assert_eq!((swept.timers, swept.stale_mail), (1, 1));
        let hints = received.take();
        assert_eq!(hints.len(), swept.reported);
        for (eid, reported) in [mail, timer].iter().zip(&mut reported) {
            if hints.iter().any(|hint| hint.eid == *eid) {
                reported.push(pass);
            }
        }
    }
    for reported in reported {
        // At once, then after 1, 2, 4, 8 minutes or so, and then four times an hour.
        assert_eq!(reported[0], 1);
        assert!((96..=96 + 8).contains(&reported.len()), "{reported:?}");
        let gaps = reported.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(gaps.max() <= Some(15), "{reported:?}");
    }
    // After an hour without any record of the reports, all causes are reported.
    let lost = since.map(|reported| reported - 60 * minute);
    assert_eq!(world.block(sweeper(lost).pass()).unwrap().reported, 2);
    assert_eq!(world.block(sweeper(since).pass()).unwrap().reported, 0);
    assert_eq!(world.block(sweeper(None).pass()).unwrap().reported, 2);
}

#[test]
fn who_has_little_time_leaves_the_rest_as_mail_to_the_execution_itself() {
    let (world, engine, received) = world();
    let eid = world
        .block(engine.start(Start::new("two").input(&0_u64)))
        .unwrap()
        .eid;
    received.take();
    let stop = Stop::default();
    stop.gently.set();
    let run = |stop| engine.run_until(eid, world.causes(eid), stop);
    assert_eq!(world.block(run(stop)).unwrap(), Ended::Sliced);
    let reported = received.take();
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(reported[0].cause.as_str().contains("/0."), "{reported:?}");
    assert_eq!(world.status(eid), Status::Running);
    let counts = engine.counts();
    assert_eq!((counts.runs, counts.attempts, counts.conflicts), (1, 0, 0));
    let causes = Causes {
        mail: vec![reported[0].cause.clone()],
        ..world.causes(eid)
    };
    let ended = world.block(engine.run(eid, causes)).unwrap();
    assert_eq!(ended, Ended::Terminal(Status::Completed));
    let more = engine.counts().since(counts);
    // Two barriers and the end.
    assert_eq!((more.runs, more.attempts, more.commits), (1, 2, 3));
}
