//! An object that a replay needs and cannot read parks the execution, by name.

use bytes::Bytes;

use super::App;
use crate::client::{Signal, Start};
use crate::domain::{Actor, Blocked, Status};
use crate::ports::{Bucket, Expect, Outcome};
use crate::testing::World;
use crate::{Context, Failed};

async fn receives(ctx: Context, text: String) -> Result<u64, Failed> {
    Ok(text.len() as u64 + ctx.receive::<u64>("in").await?)
}

fn put(world: &World, key: &crate::keys::Key, body: Bytes) -> Bytes {
    let found = world.block(world.memory.read(key)).unwrap().unwrap();
    let wrote = world.block(world.memory.write(key, body, Expect::At(found.version)));
    assert!(matches!(wrote.unwrap(), Outcome::Landed(_)));
    found.body
}

#[test]
fn i3_a_broken_blob_parks_by_name_and_loses_no_message_that_came_meanwhile() {
    let world = World::new(App::new().workflow("receives", "1", receives));
    let eid = world
        .start(Start::new("receives").input(&"x".repeat(20_000)))
        .eid;
    world.run_all();
    let rows = world.memory.snapshot();
    let blob = rows.iter().find(|(key, _)| key.as_str().contains("/blob/"));
    let key = blob.expect("the input is a blob").0.clone();
    let whole = put(&world, &key, Bytes::from_static(b"\"y\""));
    world.signal(eid, Signal::on("in").value(&7_u64)).unwrap();
    world.run_all();
    let execution = world.block(world.engine.execution(eid)).unwrap();
    let Some(Blocked::Unreadable { key: named, .. }) = execution.blocked else {
        panic!("{:?}", execution.blocked);
    };
    assert_eq!((named.as_str(), execution.crash_count), (key.as_str(), 0));
    put(&world, &key, whole);
    world
        .block(world.engine.resume(eid, Actor::human("ada")))
        .unwrap();
    world.run_all();
    assert_eq!(world.status(eid), Status::Completed);
    assert_eq!(world.result::<u64>(eid), Ok(20_007));
}
