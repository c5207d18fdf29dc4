//! Sweeps that are cut off by their deadline.

use std::collections::BTreeSet;
use std::sync::Mutex;

use async_trait::async_trait;
use millpond::client::Engine;
use millpond::domain::{MessageId, Queue};
use millpond::ports::{Hint, Ports, Wakeups};

use super::*;
use crate::roles::{Cursor, sweep};

const HINT: Duration = Duration::from_millis(10);

/// Each hint takes 10 ms: 100 per second.
#[derive(Debug)]
struct Slow(Mutex<Vec<ExecutionId>>, Arc<ManualClock>);

impl Slow {
    fn take(&self) -> Vec<ExecutionId> {
        std::mem::take(&mut *self.0.lock().expect("in a test"))
    }
}

#[async_trait]
impl Wakeups for Slow {
    async fn notify(&self, hint: Hint) {
        self.1.sleep(HINT).await;
        self.0.lock().expect("in a test").push(hint.eid);
    }

    async fn next(&self, _: &[Queue]) -> Hint {
        std::future::pending().await
    }
}

fn slow(world: &World) -> (Engine, Arc<Slow>) {
    let slow = Arc::new(Slow(Mutex::default(), Arc::clone(&world.clock)));
    let ports = Ports {
        wakeups: Arc::clone(&slow) as Arc<dyn Wakeups>,
        ..world.engine.ports().clone()
    };
    let host = world.engine.core().host.clone();
    (
        Engine::new(ports, App::new(), host).expect("in a test"),
        slow,
    )
}

fn eid(n: u32) -> ExecutionId {
    let text = format!("00000000-0000-4000-8000-{:06x}00{:04x}", n >> 8, n & 0xff);
    ExecutionId::parse(&text).expect("in a test")
}

fn create(world: &World, keys: impl Iterator<Item = keys::Key>) {
    world.block(async {
        for key in keys {
            let created = world.engine.ports().create(&key, "{}".into()).await;
            created.map(drop).expect("in a test");
        }
    });
}

/// A sweep of a minute, and whether it was whole.
fn minute(world: &World, engine: &Engine, cursor: &Cursor) -> bool {
    let deadline = Deadline::within(&*world.clock, MINUTE);
    let swept = world.block(sweep(engine, MINUTE, cursor, deadline));
    swept.expect("it advanced").whole
}

#[test]
fn a_sweep_that_is_cut_off_is_continued_after_its_last_hint() {
    let world = world();
    let (engine, slow) = slow(&world);
    let (queue, now) = (Queue::default(), world.clock.now());
    // Mail and timers of 8,000 executions each: three minutes of hints.
    let mail = (0..8_000).map(|n| keys::mail(&queue, &eid(n), &MessageId::start()));
    create(&world, mail);
    create(
        &world,
        (8_000..16_000).map(|n| keys::timer(now, &queue, &eid(n), 1)),
    );
    world.clock.advance(MINUTE);
    let cursor = Cursor::default();
    let (mut reports, mut hints, mut sweeps) = (BTreeSet::new(), 0, 0);
    loop {
        let whole = minute(&world, &engine, &cursor);
        cursor.all_sent();
        let now = slow.take();
        sweeps += 1;
        hints += now.len();
        reports.extend(now);
        if whole || sweeps == 10 {
            break;
        }
    }
    // Each is reported once; a hint in flight at a cut is repeated.
    assert_eq!((reports.len(), sweeps), (16_000, 3));
    assert!(hints <= 16_000 + 3, "{hints}");
}

#[test]
fn a_round_of_several_sweeps_is_repeated_unless_each_has_sent_its_hints() {
    let rounds = |sent: [bool; 2]| {
        let world = world();
        let (engine, slow) = slow(&world);
        let queue = Queue::default();
        let mail = (0..8_000).map(|n| keys::mail(&queue, &eid(n), &MessageId::start()));
        create(&world, mail);
        // A quarter of an hour: the next report is due after another one.
        world.clock.advance(MINUTE * 15 + Duration::from_secs(1));
        let cursor = Cursor::default();
        for (n, sent) in sent.into_iter().enumerate() {
            assert_eq!(minute(&world, &engine, &cursor), n == 1);
            if sent {
                cursor.all_sent();
            }
        }
        slow.take();
        minute(&world, &engine, &cursor);
        slow.take().len()
    };
    assert_eq!(rounds([true, true]), 0);
    assert!(rounds([false, true]) > 5_000);
    assert!(rounds([true, false]) > 5_000);
}
