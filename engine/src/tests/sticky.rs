//! Heads that are kept between runs (`process/sticky.rs`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::App;
use crate::client::{Signal, Start};
use crate::domain::Status;
use crate::run::Ended;
use crate::settings::Settings;
use crate::testing::World;
use crate::{Context, Failed, StepError};

/// Takes `n` messages; each is worked on by a step that counts.
fn app(steps: &Arc<AtomicU64>) -> App {
    let steps = Arc::clone(steps);
    App::new().workflow("adds", "1", move |ctx: Context, n: u64| {
        let steps = Arc::clone(&steps);
        async move {
            let mut sum = 0;
            for at in 0..n {
                let got = ctx.receive::<u64>("in").await?;
                let steps = Arc::clone(&steps);
                sum += ctx
                    .step("work", move || {
                        let steps = Arc::clone(&steps);
                        async move {
                            steps.fetch_add(1, Ordering::Relaxed);
                            Ok::<u64, StepError>(got + at)
                        }
                    })
                    .await?;
            }
            Ok::<u64, Failed>(sum)
        }
    })
}

fn world(steps: &Arc<AtomicU64>, bytes: usize) -> World {
    let settings = Settings {
        sticky: bytes,
        ..Settings::default()
    };
    World::with_settings(app(steps), settings)
}

#[test]
fn a_resume_by_the_same_worker_saves_the_read_of_the_head_and_nothing_else() {
    let counted = |bytes| {
        let world = world(&Arc::default(), bytes);
        let eid = world.start(Start::new("adds").input(&2_u64)).eid;
        world.run_all();
        world.signal(eid, Signal::on("in").value(&1_u64)).unwrap();
        let (ended, counts) = world.counted(|world| world.run(eid));
        assert!(matches!(ended, Ok(Ended::Suspended(_))));
        (counts.reads, counts.writes, counts.lists, counts.deletes)
    };
    let (reads, writes, lists, deletes) = counted(0);
    assert_eq!(counted(1 << 20), (reads - 1, writes, lists, deletes));
}

#[test]
fn i1_i2_a_head_that_another_worker_replaced_is_refused_and_no_step_runs_twice() {
    let steps = Arc::default();
    let a = world(&steps, 1 << 20);
    let b = a.beside(app(&steps), "w2", 2);
    let eid = a.start(Start::new("adds").input(&6_u64)).eid;
    a.run_all();
    for n in 0..6 {
        // In turns: each keeps a head that the other makes old.
        let turn = if n % 2 == 0 { &b } else { &a };
        turn.signal(eid, Signal::on("in").value(&10_u64)).unwrap();
        turn.run_all();
    }
    assert_eq!(a.status(eid), Status::Completed);
    assert_eq!(a.result::<u64>(eid), Ok(60 + 15));
    assert_eq!(steps.load(Ordering::Relaxed), 6);
}

#[test]
fn a_kept_head_decides_nothing_without_a_commit() {
    let steps = Arc::default();
    let a = world(&steps, 1 << 20);
    let b = a.beside(app(&steps), "w2", 2);
    let eid = a.start(Start::new("adds").input(&2_u64)).eid;
    a.run_all();
    // B goes on; what A keeps is old, and A is called for nothing.
    b.signal(eid, Signal::on("in").value(&1_u64)).unwrap();
    b.run_all();
    let (ended, counts) = a.counted(|world| world.run(eid));
    assert!(matches!(ended, Ok(Ended::Stale)), "{ended:?}");
    assert_eq!((counts.reads, counts.writes), (1, 0), "the head was read");
}

#[test]
fn what_is_kept_is_bounded_and_the_oldest_go_first() {
    let steps = Arc::default();
    let world = world(&steps, 16 << 10);
    let mut eids: Vec<_> = (0..20)
        .map(|_| world.start(Start::new("adds").input(&2_u64)).eid)
        .collect();
    eids.sort(); // they run in this order
    world.run_all();
    let reads = |eid| {
        world.signal(eid, Signal::on("in").value(&1_u64)).unwrap();
        world.counted(|world| world.run(eid)).1.reads
    };
    let (first, last) = (reads(eids[0]), reads(*eids.last().unwrap()));
    assert_eq!(first, last + 1, "only the last one's head was kept");
}
