//! Sweeps, and the timers in their hints.

use std::collections::BTreeSet;
use std::sync::Mutex;

use async_trait::async_trait;
use millpond::client::{Ended, Engine};
use millpond::domain::{Queue, Status};
use millpond::ports::{Hint, Ports, Wakeups};
use millpond_testing::{Injection, Rule, Verb};
use millpond_wakeups::sqs;

use super::*;
use crate::roles::{Cursor, SweepError, sweep};

#[derive(Debug, Default)]
struct Heard(Mutex<Vec<Hint>>);

#[async_trait]
impl Wakeups for Heard {
    async fn notify(&self, hint: Hint) {
        self.0.lock().expect("in a test").push(hint);
    }

    async fn next(&self, _: &[Queue]) -> Hint {
        std::future::pending().await
    }
}

fn received(world: &World) -> (Engine, Arc<Heard>) {
    let received = Arc::new(Heard::default());
    let ports = Ports {
        wakeups: Arc::clone(&received) as Arc<dyn Wakeups>,
        ..world.engine.ports().clone()
    };
    let app = App::new().workflow("nap", "1", nap);
    let host = world.engine.core().host.clone();
    (Engine::new(ports, app, host).expect("in a test"), received)
}

fn timer_of(world: &World, eid: ExecutionId) -> Hint {
    let rows = world.memory.snapshot();
    let timers = rows.iter().filter_map(|(key, _)| {
        let timer = keys::TimerKey::parse(key)?;
        Some((key.clone(), timer))
    });
    let mut timers = timers.filter(|(_, timer)| timer.eid == eid);
    let (cause, timer) = timers.next().expect("a timer");
    Hint {
        queue: timer.queue,
        eid,
        cause,
        at: Some(timer.due),
    }
}

#[test]
fn a_sweep_continues_where_the_previous_one_had_no_time_left_and_reports_each_mail() {
    let world = world();
    let started: BTreeSet<ExecutionId> = (0..2_500).map(|n| start(&world, "nap", n)).collect();
    world.clock.advance(MINUTE);
    let (engine, received) = received(&world);
    let cursor = Cursor::default();
    let deadline = Deadline::within(&*world.clock, MINUTE);
    let (swept, counts) = world.counted(|world| {
        let swept = sweep(&engine, MINUTE, &cursor, deadline);
        world.block(swept).unwrap()
    });
    assert_eq!((swept.stale_mail, swept.whole), (2_500, true));
    // One list for the timers, one for each thousand mails, and one for the queues after a full page.
    assert_eq!((counts.lists, counts.writes, counts.reads), (5, 0, 0));
    let reported: BTreeSet<ExecutionId> = received
        .0
        .lock()
        .unwrap()
        .iter()
        .map(|hint| hint.eid)
        .collect();
    assert_eq!(reported, started);
}

#[test]
fn possibly_unreported_causes_are_reported_again_and_reported_ones_are_not() {
    let world = world();
    start(&world, "nap", 1);
    world.clock.advance(MINUTE);
    let (engine, _received) = received(&world);
    let cursor = Cursor::default();
    let reported = || {
        let deadline = Deadline::within(&*world.clock, MINUTE);
        let swept = world.block(sweep(&engine, MINUTE, &cursor, deadline));
        swept.unwrap().reported
    };
    // Its hints were not sent, so the sweep has not confirmed them.
    assert_eq!((reported(), reported()), (1, 1));
    cursor.all_sent();
    assert_eq!(reported(), 0);
    world.clock.advance(MINUTE);
    assert_eq!(reported(), 1);
}

#[test]
fn a_timer_that_comes_by_message_is_run_at_its_time_and_never_before() {
    let world = world();
    let eid = start(&world, "nap", 100);
    serve(&world, &[message(&world, "a", eid, 1)]);
    let (engine, received) = received(&world);
    let hint = timer_of(&world, eid);
    let serve = |engine: &Engine| {
        let all = read(&[super::sqs("b", &sqs::body(&hint), 1)]);
        let deadline = Deadline::within(&*world.clock, MINUTE);
        world.block(batch(engine, &Seen::default(), &all.records, deadline))
    };
    // Far too early: the hint is sent again for its time, without a request to the bucket.
    let (done, counts) = world.counted(|_| serve(&engine));
    assert_eq!(failed(&done).len(), 0);
    assert_eq!((counts.reads, counts.lists, counts.writes), (0, 0, 0));
    assert_eq!(*received.0.lock().unwrap(), std::slice::from_ref(&hint));
    assert_eq!(world.status(eid), Status::Suspended);
    // One second early: the run waits.
    world.clock.advance(Duration::from_secs(99));
    let done = serve(&engine);
    assert!(matches!(done.served[0].ended, Some(Ok(Ended::Terminal(_)))));
    assert_eq!(done.served[0].late, Some(Duration::ZERO));
    assert_eq!(world.result::<u64>(eid), Ok(100));
    // A duplicate: the timer has fired and is deleted.
    let done = serve(&engine);
    let ended = &done.served[0].ended;
    assert!(matches!(ended, Some(Ok(Ended::Terminal(_)))), "{ended:?}");
}

#[test]
fn a_sweep_that_read_nothing_in_its_time_does_not_report_an_empty_bucket() {
    let world = world();
    let eid = start(&world, "nap", 1);
    serve(&world, &[message(&world, "a", eid, 1)]);
    let rule = Rule::new(Injection::Delay(MINUTE * 2)).on(Verb::List);
    world.faults.add(rule.always());
    let cursor = Cursor::default();
    let deadline = Deadline::within(&*world.clock, MINUTE);
    let swept = world.block(sweep(&world.engine, MINUTE, &cursor, deadline));
    assert!(matches!(swept, Err(SweepError::Late)), "{swept:?}");
}
