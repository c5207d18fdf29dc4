//! Looking for executions that nothing can wake: an object that is taken away by hand is
//! missed, and nothing else is.

use std::time::Duration;

use super::{App, sequential};
use crate::client::{Asleep, Audit, Finding, Signal, Start};
use crate::domain::ExecutionId;
use crate::keys::{Key, Prefix};
use crate::testing::World;
use crate::{Context, Failed};

async fn approve(ctx: Context) -> Result<bool, Failed> {
    Ok(ctx.receive("in").await?)
}

async fn nap(ctx: Context) -> Result<(), Failed> {
    Ok(ctx.sleep(Duration::from_secs(3_600)).await?)
}

async fn parent(ctx: Context) -> Result<bool, Failed> {
    Ok(ctx.child_named::<bool>("approve", &()).await?)
}

fn world() -> World {
    World::new(
        App::new()
            .workflow("sequential", "1", sequential)
            .workflow("approve", "1", |ctx, ()| approve(ctx))
            .workflow("nap", "1", |ctx, ()| nap(ctx))
            .workflow("parent", "1", |ctx, ()| parent(ctx)),
    )
}

fn start(world: &World, workflow: &str) -> ExecutionId {
    world.start(Start::new(workflow)).eid
}

fn audit(world: &World) -> Audit {
    world.block(world.engine.audit()).unwrap()
}

/// Deletes everything under a prefix.
fn lose(world: &World, prefix: &str) {
    let bucket = &world.engine.ports().bucket;
    let prefix = Prefix::parse(prefix).unwrap();
    let rows = world.memory.snapshot();
    for key in rows.into_iter().map(|(key, _)| key) {
        if key.is_under(&prefix) {
            world.block(bucket.delete(&key)).unwrap();
        }
    }
}

#[track_caller]
fn assert_asleep(world: &World, eid: ExecutionId, wanted: Asleep) {
    let found = audit(world).findings;
    assert!(
        matches!(&found[..], [Finding::Asleep { eid: found, why, .. }] if (*found, *why) == (eid, wanted)),
        "{found:?}"
    );
}

#[test]
fn whatever_waits_for_a_named_party_is_no_finding() {
    let world = world();
    world.start(Start::new("sequential").input(&3_u64));
    for workflow in ["approve", "nap", "parent"] {
        start(&world, workflow);
    }
    world.run_all();
    start(&world, "approve"); // not run yet
    let found = audit(&world);
    assert_eq!(found.findings, []);
    assert_eq!((found.executions, found.open), (6, 5));
}

#[test]
fn a_lost_start_mail_is_found() {
    let world = world();
    let eid = start(&world, "approve");
    lose(&world, "mail/");
    assert_asleep(&world, eid, Asleep::NoStart);
}

#[test]
fn a_lost_timer_is_found() {
    let world = world();
    let eid = start(&world, "nap");
    world.run_all();
    lose(&world, "timers/");
    assert_asleep(&world, eid, Asleep::NoTimer);
}

#[test]
fn a_lost_child_result_is_found() {
    let world = world();
    let eid = start(&world, "parent");
    world.run_all();
    let frames = world.block(world.engine.frames(eid)).unwrap();
    let child = frames.frames[0].child.unwrap();
    world.signal(child, Signal::on("in").value(&true)).unwrap();
    world.run(child).unwrap();
    assert_eq!(audit(&world).findings, [], "its result is in the mail");
    lose(&world, "mail/");
    assert_asleep(&world, eid, Asleep::NoResult);
}

#[test]
fn an_object_that_is_no_head_is_found_by_key() {
    let world = world();
    let eid = start(&world, "approve");
    world.run_all();
    let key: Key = crate::keys::head(&eid);
    lose(&world, key.as_str());
    let bucket = &world.engine.ports().bucket;
    let absent = crate::ports::Expect::Absent;
    let _ = world
        .block(bucket.write(&key, "no head".into(), absent))
        .unwrap();
    let found = audit(&world).findings;
    assert!(
        matches!(&found[..], [Finding::Corrupt { key: found, .. }] if *found == key),
        "{found:?}"
    );
}

#[test]
fn i2_a_missing_head_is_found_though_nothing_else_refers_to_it() {
    let world = world();
    let (waits, other) = (start(&world, "approve"), start(&world, "approve"));
    world.run_all();
    assert_eq!(audit(&world).findings, []);
    lose(&world, &format!("x/{}/{waits}/", waits.shard()));
    let key = crate::keys::head(&waits);
    let found = audit(&world);
    assert!(
        matches!(&found.findings[..], [Finding::Corrupt { key: found, .. }] if *found == key),
        "{found:?}"
    );
    assert_eq!((found.executions, found.open), (1, 1), "{other} is there");
}
