//! Tests of the journal.

mod blobs;
mod heads;
mod injections;
mod sealing;

use std::time::Duration;

use bytes::Bytes;

use super::{CommitError, Draft, Item, Journal};
use crate::domain::{
    Actor, Channel, Depth, Entry, ExecutionId, FrameId, FrameName, Json, Payload, Queue, Record,
    Status, Text,
};
use crate::keys::Key;
use crate::ports::Created;
use crate::ports::{Bucket, Clock, Expect, Ports};
use crate::process::App;
use crate::settings::Settings;
use crate::testing::World;

fn world() -> World {
    World::new(App::new())
}

fn ports(world: &World) -> &Ports {
    &world.engine.core().ports
}

fn record(world: &World, key: &str) -> Record {
    let args = Json::null();
    Record {
        eid: ExecutionId::keyed(&Text::parse(key).unwrap(), 0),
        workflow: "w".parse().unwrap(),
        version: "1".to_owned(),
        args_digest: args.digest(),
        args: Payload::Inline(args),
        queue: Queue::default(),
        parent: None,
        depth: Depth::default(),
        budget: None,
        dispatch_key: None,
        n: 0,
        nonce: None,
        created_by: Actor::system("test").into(),
        created_at: world.clock.now(),
        start_at: None,
    }
}

fn begin(world: &World, record: Record) -> Journal {
    let eid = record.eid;
    let begun = world.block(Journal::begin(ports(world), record)).unwrap();
    assert!(matches!(begun, Created::New(_)), "there is one already");
    load(world, &eid)
}

fn load(world: &World, eid: &ExecutionId) -> Journal {
    world
        .block(Journal::load(ports(world), eid))
        .unwrap()
        .unwrap()
}

/// An entry with a stored size of about `bytes`, different from all other entries.
fn entry(number: u64, bytes: usize) -> Entry {
    Entry::Announced {
        fid: FrameId::root().keyed(
            &FrameName::parse("say").unwrap(),
            &FrameName::parse(&number.to_string()).unwrap(),
        ),
        kind: Channel::parse("k").unwrap(),
        value: Json::of(&"x".repeat(bytes)).unwrap().into(),
    }
}

fn draft(world: &World, entries: Vec<Entry>, outbox: Vec<Item>) -> Draft {
    Draft {
        at: world.clock.now(),
        by: Actor::system("test").into(),
        frames: None,
        entries,
        lease: None,
        status: Status::Running,
        timer: None,
        fired: None,
        outbox,
        news: Vec::new(),
        crash_count: 0,
        budget: crate::domain::Budget::default(),
        unread: None,
        deadline: world.clock.monotonic() + Duration::from_secs(30),
    }
}

fn commit(
    world: &World,
    journal: &mut Journal,
    settings: &Settings,
    draft: Draft,
) -> Result<(), CommitError> {
    world.block(journal.commit(ports(world), settings, draft))
}

/// Replaces or removes an object behind the engine, as another program could.
fn tamper(world: &World, key: &Key, body: Option<Bytes>) {
    let memory = &world.memory;
    let found = world.block(memory.read(key)).unwrap().unwrap();
    match body {
        Some(body) => {
            let at = Expect::At(found.version);
            let _ = world.block(memory.write(key, body, at)).unwrap();
        }
        None => world.block(memory.delete(key)).unwrap(),
    }
}
