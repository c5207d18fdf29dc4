//! The cost of an execution, computed from its journal and counted.

use std::time::Duration;

use super::{App, sequential};
use crate::client::{Price, Signal, Start};
use crate::domain::ExecutionId;
use crate::testing::{Counts, World};
use crate::{Context, Failed};

async fn waits(ctx: Context, timed: bool) -> Result<u64, Failed> {
    let mut sum = 0;
    for _ in 0..3 {
        let wait = ctx.receive::<u64>("in");
        sum += if timed {
            let long = Duration::from_secs(3_600);
            wait.timeout(long).await?.unwrap_or_default()
        } else {
            wait.await?
        };
    }
    Ok(sum)
}

async fn large(ctx: Context, bytes: usize) -> Result<usize, Failed> {
    let text = "x".repeat(bytes);
    let step = ctx.step("echo", move || {
        let text = text.clone();
        async move { Ok::<_, crate::StepError>(text) }
    });
    Ok(step.await?.len())
}

async fn parent(ctx: Context, n: u64) -> Result<u64, Failed> {
    Ok(ctx.child_named::<u64>("sequential", &n).await?)
}

fn app() -> App {
    App::new()
        .workflow("sequential", "1", sequential)
        .workflow("waits", "1", waits)
        .workflow("large", "1", large)
        .workflow("parent", "1", parent)
}

fn estimate(world: &World, eid: ExecutionId) -> Price {
    world.block(world.engine.price(eid)).unwrap()
}

fn counted(counts: &Counts) -> Price {
    Price {
        write_requests: counts.write_requests(),
        read_requests: counts.read_requests(),
    }
}

#[test]
fn steps_and_keys_are_priced_to_the_request() {
    for n in [0_u64, 1, 7] {
        let world = World::new(app());
        let start = || Start::new("sequential").input(&n).key("k");
        let (eid, counts) = world.counted(|world| {
            let eid = world.start(start()).eid;
            world.run_all();
            eid
        });
        assert_eq!(estimate(&world, eid), counted(&counts), "{n} steps");
    }
}

#[test]
fn waits_signals_and_timers_are_priced_to_the_request() {
    for timed in [false, true] {
        let world = World::new(app());
        let (eid, counts) = world.counted(|world| {
            let eid = world.start(Start::new("waits").input(&timed)).eid;
            for _ in 0..3 {
                world.run(eid).unwrap();
                world.clock.advance(Duration::from_secs(1));
                world.signal(eid, Signal::on("in").value(&1_u64)).unwrap();
            }
            world.run(eid).unwrap();
            eid
        });
        assert_eq!(world.result::<u64>(eid), Ok(3));
        assert_eq!(estimate(&world, eid), counted(&counts), "timed={timed}");
    }
}

#[test]
fn a_large_value_is_one_write_request_more() {
    let world = World::new(app());
    let (eid, counts) = world.counted(|world| {
        let eid = world.start(Start::new("large").input(&40_000)).eid;
        world.run_all();
        eid
    });
    assert_eq!(world.result::<usize>(eid), Ok(40_000));
    assert_eq!(
        estimate(&world, eid).write_requests,
        counts.write_requests()
    );
}

#[test]
fn a_childs_requests_are_the_childs_and_none_is_counted_twice() {
    let world = World::new(app());
    let (eid, counts) = world.counted(|world| {
        let eid = world.start(Start::new("parent").input(&2_u64)).eid;
        world.run_all();
        eid
    });
    assert_eq!(world.result::<u64>(eid), Ok(1));
    let frames = world.block(world.engine.frames(eid)).unwrap();
    let child = estimate(&world, frames.frames[0].child.unwrap());
    let own = estimate(&world, eid);
    assert_eq!(
        own.write_requests + child.write_requests,
        counts.write_requests()
    );
    assert_eq!(
        own.read_requests + child.read_requests,
        counts.read_requests()
    );
}
