//! Workflows that a build does not contain (N12): children of a parent, and commands to executions.

use std::time::Duration;

use crate::client::{Signal, Start};
use crate::domain::{Actor, ExecutionId, Status};
use crate::process::App;
use crate::run::{Causes, Ended};
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

/// Executions of "later" by key, and a worker that does not contain it.
fn without_code() -> (World, World) {
    let world = World::new(App::new().workflow("later", "2", later));
    let other = world.beside(App::new().workflow("asks", "1", asks), "other", 7);
    (world, other)
}

fn ada() -> Actor {
    Actor::human("ada")
}

#[test]
fn n12_terminate_and_an_early_cancel_take_effect_without_the_code() {
    let (world, other) = without_code();
    let begun = world.start(Start::new("later").input(&1_u64)).eid;
    world.run(begun).unwrap();
    let pending = world.start(Start::new("later").input(&1_u64)).eid;
    world
        .block(world.engine.terminate(begun, "no", ada()))
        .unwrap();
    world
        .block(world.engine.cancel(pending, "no", ada()))
        .unwrap();
    assert_eq!(
        other.run(begun).unwrap(),
        Ended::Terminal(Status::Terminated)
    );
    assert_eq!(
        other.run(pending).unwrap(),
        Ended::Terminal(Status::Cancelled)
    );
    other.run_all(); // deletes the start that no build has absorbed
    assert!(world.with_work().is_empty());
}

#[test]
fn n12_pause_and_resume_take_effect_without_the_code_and_wake_a_worker_with_it() {
    let (world, other) = without_code();
    let eid = world.start(Start::new("later").input(&3_u64)).eid;
    world.run(eid).unwrap();
    world.block(world.engine.pause(eid, "wait", ada())).unwrap();
    assert_eq!(other.run(eid).unwrap(), Ended::Parked(Status::Paused));
    world.clock.advance(Duration::from_secs(61));
    world.run_all();
    assert_eq!(
        world.status(eid),
        Status::Paused,
        "its timer does not end a pause"
    );
    world.block(world.engine.resume(eid, ada())).unwrap();
    let ended = other.run(eid).unwrap();
    assert!(
        matches!(ended, Ended::Unregistered(..)),
        "the slice is for another: {ended:?}"
    );
    assert_eq!(world.status(eid), Status::Running);
    assert_eq!(world.causes(eid).mail.len(), 1, "the slice");
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(3));
}

#[test]
fn n12_what_needs_the_code_is_left_to_a_worker_with_it() {
    let (world, other) = without_code();
    let eid = world.start(Start::new("later").input(&3_u64)).eid;
    world.run(eid).unwrap();
    world.block(world.engine.cancel(eid, "no", ada())).unwrap();
    world.signal(eid, Signal::on("in").value(&1_u64)).unwrap();
    let before = world.memory.snapshot();
    let causes = Causes {
        possible_duplicate: false,
        ..other.causes(eid)
    };
    let (ended, counts) = other.counted(|other| other.block(other.engine.run(eid, causes)));
    assert!(matches!(ended.unwrap(), Ended::Unregistered(..)));
    assert_eq!(world.memory.snapshot(), before);
    // The head and the command; the message is not read.
    assert_eq!((counts.reads, counts.lists, counts.writes), (2, 1, 0));
    world.run_all();
    assert_eq!(world.status(eid), Status::Cancelled);
}
