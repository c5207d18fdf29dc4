//! The tree of frames, as operators see it.

use super::{App, echo};
use crate::client::{Frame, FrameKind, FrameStatus, Start};
use crate::testing::World;
use crate::{Context, Failed};

async fn scoped(ctx: Context, n: u64) -> Result<u64, Failed> {
    let inner = ctx.scope("inner");
    Ok(ctx.call("echo", echo, &n).await? + inner.call("echo", echo, &n).await?)
}

fn fids(frame: &Frame) -> Vec<String> {
    let below = frame.frames.iter().flat_map(fids);
    std::iter::once(frame.fid.to_string())
        .chain(below)
        .collect()
}

#[test]
fn the_tree_begins_with_the_workflow_and_holds_every_frame() {
    let world = World::new(App::new().workflow("scoped", "1", scoped));
    let eid = world.start(Start::new("scoped").input(&1_u64)).eid;
    let frames = || world.block(world.engine.frames(eid)).unwrap();
    assert_eq!(fids(&frames()), ["root"], "before the first run");
    world.run_all();
    let root = frames();
    assert_eq!(
        (root.kind, root.status),
        (FrameKind::Workflow, FrameStatus::Completed)
    );
    let expected = ["root", "root/echo#0", "root/inner", "root/inner/echo#0"];
    assert_eq!(fids(&root), expected);
}

async fn waits(ctx: Context, _: u64) -> Result<u64, Failed> {
    let (received, slept) = futures::join!(
        ctx.receive::<u64>("in"),
        ctx.sleep(std::time::Duration::from_secs(600))
    );
    slept?;
    Ok(received?)
}

#[test]
fn an_execution_that_is_over_waits_for_nothing() {
    for terminate in [false, true] {
        let world = World::new(App::new().workflow("waits", "1", waits));
        let eid = world.start(Start::new("waits").input(&1_u64)).eid;
        world.run_all();
        let ada = crate::domain::Actor::human("ada");
        let text = if terminate {
            world.block(world.engine.terminate(eid, "enough", ada))
        } else {
            world.block(world.engine.cancel(eid, "enough", ada))
        };
        text.unwrap();
        world.run_all();
        let root = world.block(world.engine.frames(eid)).unwrap();
        assert_eq!(root.status, FrameStatus::Cancelled);
        for frame in &root.frames {
            assert_eq!((frame.status, frame.due), (FrameStatus::Dropped, None));
            assert!(frame.ended.is_some());
        }
        assert_eq!(root.frames.len(), 2);
    }
}

async fn draws(ctx: Context, n: u64) -> Result<u64, Failed> {
    let _ = ctx.now();
    Ok(ctx.call("now", echo, &n).pure().await?)
}

#[test]
fn a_pure_step_may_have_the_name_of_a_recorded_value() {
    let world = World::new(App::new().workflow("draws", "1", draws));
    let eid = world.start(Start::new("draws").input(&1_u64)).eid;
    world.run_all();
    let root = world.block(world.engine.frames(eid)).unwrap();
    let kinds = root.frames.iter().map(|f| (f.fid.as_str(), f.kind));
    assert_eq!(
        kinds.collect::<Vec<_>>(),
        [
            ("root/now#0", FrameKind::Recorded),
            ("root/now#1", FrameKind::Step)
        ]
    );
    assert!(root.frames.iter().all(|frame| frame.value.is_some()));
}
