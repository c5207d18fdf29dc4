//! Children of workflows that the build of their parent does not contain (N12).

use std::time::Duration;

use crate::client::Start;
use crate::domain::{ExecutionId, Status};
use crate::process::App;
use crate::testing::World;
use crate::{Context, Failed};

async fn asks(ctx: Context, _: ()) -> Result<u64, Failed> {
    Ok(ctx.child_named::<u64>("later", &7_u64).await?)
}

async fn later(ctx: Context, n: u64) -> Result<u64, Failed> {
    ctx.sleep(Duration::from_secs(60)).await?;
    Ok(n)
}

async fn another(_: Context, _: u64) -> Result<u64, Failed> {
    Ok(0)
}

/// A world whose build contains the parent only, and the child that it has started there.
fn started() -> (World, ExecutionId, ExecutionId) {
    let world = World::new(App::new().workflow("asks", "1", asks));
    let eid = world.start(Start::new("asks")).eid;
    world.run_all();
    let child = world.with_work().into_iter().find(|with| *with != eid);
    let child = child.expect("its start waits for a build that contains it");
    (world, eid, child)
}

fn version(world: &World, eid: ExecutionId) -> String {
    let head: serde_json::Value = world.head(eid).get().unwrap();
    head["record"]["version"].as_str().unwrap().to_owned()
}

#[test]
fn n12_the_first_build_that_contains_a_child_decides_its_version() {
    let (world, eid, child) = started();
    assert_eq!(version(&world, child), "");
    let newer = App::new().workflow("later", "2", later);
    let newer = world.beside(newer, "newer", 7);
    newer.run_all();
    assert_eq!(version(&world, child), "2");
    // A build that contains another version besides does not change it.
    let newest = App::new()
        .workflow("asks", "1", asks)
        .workflow("later", "2", later)
        .workflow("later", "3", another);
    let newest = world.beside(newest, "newest", 8);
    newest.clock.advance(Duration::from_secs(61));
    newest.run_all();
    assert_eq!(world.status(child), Status::Completed);
    assert_eq!(world.result::<u64>(eid), Ok(7));
}

#[test]
fn n12_a_version_that_was_decided_is_left_to_the_builds_that_contain_it() {
    let (world, _, child) = started();
    let newer = App::new().workflow("later", "2", later);
    world.beside(newer, "newer", 7).run_all();
    let other = App::new().workflow("later", "3", another);
    let other = world.beside(other, "other", 8);
    other.clock.advance(Duration::from_secs(61));
    other.run_all();
    assert_eq!(world.status(child), Status::Suspended);
    assert_eq!(version(&world, child), "2");
}
