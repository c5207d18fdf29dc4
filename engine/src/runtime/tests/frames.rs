//! The tree of frames, as operators see it.

use super::{App, echo};
use crate::runtime::{Frame, FrameKind, FrameStatus, Start};
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
