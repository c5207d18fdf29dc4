//! Retention: finished executions are archived, read as before, and expired in time.

pub(super) mod archives;
pub(super) mod cuts;
pub(super) mod freed;
pub(super) mod late;
mod many;
mod price;
mod reads;
pub(super) mod reopened;
mod two;

use std::time::Duration;

use super::{App, echo, keyed, neighbour, sequential};
use crate::client::Start;
use crate::domain::{Commit, Entry, ExecutionId, Json, Payload, Status};
use crate::journal::{Head, Journal};
use crate::keys::{self, FeedKey, Key, Prefix};
use crate::ports::Ports;
use crate::process::Notice;
use crate::retention::{Retained, Retention, RetentionError, RetentionSettings};
use crate::settings::Settings;
use crate::stored::Document as _;
use crate::testing::World;
use crate::{Context, Failed};

pub(super) const DAY: Duration = Duration::from_secs(86_400);

/// Steps, values of every size, and a child.
async fn rich(ctx: Context, n: u64) -> Result<u64, Failed> {
    ctx.announce("small", &"s")?;
    ctx.announce("large", &"l".repeat(40 << 10))?;
    ctx.announce("huge", &"h".repeat(200 << 10))?;
    let child = ctx.child_named::<u64>("sequential", &n).await?;
    let mut sum = child;
    for at in 0..n {
        sum += ctx.call("echo", echo, &at).await?;
    }
    Ok(sum)
}

/// A step in each generation.
async fn continues(ctx: Context, n: u64) -> Result<u64, Failed> {
    let value = ctx.call("echo", echo, &n).await?;
    match n {
        0 => Ok(value),
        _ => ctx.continue_as_new(&(n - 1)),
    }
}

async fn fails(_: Context, _: ()) -> Result<(), Failed> {
    Err(Failed::new("declined", "the card was refused"))
}

async fn receives(ctx: Context, _: ()) -> Result<u64, Failed> {
    Ok(ctx.receive::<u64>("in").await?)
}

/// Waits for a child that waits for a message.
async fn asks(ctx: Context, _: ()) -> Result<u64, Failed> {
    Ok(ctx.child_named::<u64>("receives", &()).await?)
}

pub(super) fn app() -> App {
    App::new()
        .workflow("sequential", "1", sequential)
        .workflow("rich", "1", rich)
        .workflow("continues", "1", continues)
        .workflow("fails", "1", fails)
        .workflow("receives", "1", receives)
        .workflow("asks", "1", asks)
}

/// Journals are sealed early.
fn settings() -> Settings {
    Settings {
        tail: 1_500,
        ..super::patient()
    }
}

fn world() -> World {
    let world = World::with_settings(app(), settings());
    world.memory.record();
    world
}

/// A start under the workflow's own name, run to its end.
fn ended(world: &World, workflow: &'static str, n: u64) -> ExecutionId {
    let start = Start::new(workflow).key(workflow);
    let start = match workflow {
        "rich" | "sequential" | "continues" => start.input(&n),
        _ => start,
    };
    let eid = world.start(start).eid;
    world.run_all();
    assert!(world.status(eid).is_terminal());
    eid
}

/// Passes until nothing is left to do.
fn retain(world: &World) -> Retained {
    retain_by(world, RetentionSettings::default()).unwrap()
}

fn retain_by(world: &World, settings: RetentionSettings) -> Result<Retained, RetentionError> {
    let retention = Retention::new(&world.engine, settings).unwrap();
    world.block(retention.passes(&Notice::new()))
}

/// Keys under a prefix.
fn under(world: &World, prefix: &str) -> Vec<Key> {
    let prefix = Prefix::parse(prefix).unwrap();
    let rows = world.memory.snapshot().into_iter();
    let found = rows.map(|(key, _)| key).filter(|key| key.is_under(&prefix));
    found.collect()
}

fn head(world: &World, eid: ExecutionId) -> Head {
    let journal = Journal::load(world.engine.ports(), &eid);
    world.block(journal).unwrap().unwrap().head
}

/// What can be read of an execution: the same before and after, every value resolved.
#[derive(Debug, PartialEq)]
struct FeedRecord {
    commits: Vec<Commit>,
    outcome: (Status, Result<Json, String>),
    frames: String,
    price: (u64, u64),
    entries: u64,
}

fn describe(world: &World, eid: ExecutionId) -> FeedRecord {
    let engine = &world.engine;
    let mut commits = world
        .block(engine.journal(eid, 1, usize::MAX))
        .unwrap()
        .commits;
    for entry in commits.iter_mut().flat_map(|commit| &mut commit.entries) {
        if let Some(payload) = entry.payload_mut() {
            *payload = Payload::Inline(world.block(engine.value(&eid, payload)).unwrap());
        }
    }
    let outcome = world.outcome(eid);
    let mut frames = world.block(engine.frames(eid)).unwrap();
    fn resolve(world: &World, eid: ExecutionId, frame: &mut crate::client::Frame) {
        if let Some(value) = &mut frame.value {
            let whole = world.block(world.engine.value(&eid, value)).unwrap();
            *value = Payload::Inline(whole);
        }
        let below = frame.frames.iter_mut();
        below.for_each(|frame| resolve(world, eid, frame));
    }
    resolve(world, eid, &mut frames);
    let price = world.block(engine.price(eid)).unwrap();
    FeedRecord {
        commits,
        outcome: (outcome.status, outcome.value.map_err(|f| f.to_string())),
        frames: serde_json::to_string(&frames).unwrap(),
        price: (price.write_requests, price.read_requests),
        entries: world.block(engine.execution(eid)).unwrap().entries,
    }
}

/// I10: nothing but the tombstone is left, and the archive is whole.
#[track_caller]
fn is_archived(world: &World, eid: ExecutionId, before: &FeedRecord) {
    let left = under(world, keys::execution(&eid).as_str());
    assert_eq!(left, [keys::head(&eid)], "I10: only the tombstone is left");
    let head = head(world, eid);
    assert_eq!(head.status, Status::Archived);
    assert!(head.encode().len() < 1_024, "{}", head.encode().len());
    assert_eq!(describe(world, eid), *before, "I10: it is whole");
    let archived = head.archived.unwrap();
    let result = match &before.outcome.1 {
        Ok(value) => Some(value.digest()),
        Err(_) => archived.result.clone(),
    };
    assert_eq!(
        (archived.status, archived.result),
        (before.outcome.0, result)
    );
    assert_eq!(received(world, eid, head.commit), 1, "it is reported");
}

/// The feed objects of a commit.
fn words(world: &World, eid: ExecutionId, commit: u64) -> Vec<Key> {
    let reported = under(world, keys::FEED).into_iter();
    reported
        .filter(|key| FeedKey::parse(key).is_some_and(|key| (key.eid, key.commit) == (eid, commit)))
        .collect()
}

/// How often a reader of the feed receives a commit: of several objects it keeps the first.
fn received(world: &World, eid: ExecutionId, commit: u64) -> usize {
    let received = crate::feed::events(world.engine.ports(), None, None);
    let received = world.block(received).unwrap().into_iter();
    received
        .filter(|(_, key)| (key.eid, key.commit) == (eid, commit))
        .count()
}

/// I10: nothing but the tombstone and the archive is left, and the key is free.
#[track_caller]
fn is_freed(world: &World, eid: ExecutionId, before: &FeedRecord) {
    assert_eq!(
        under(world, keys::execution(&eid).as_str()),
        [keys::head(&eid)]
    );
    assert!(head(world, eid).is_free(crate::ports::Clock::now(&*world.clock)));
    let reported = under(world, keys::FEED).into_iter();
    let own: Vec<_> = reported
        .filter(|key| FeedKey::parse(key).is_some_and(|key| key.eid == eid))
        .collect();
    assert_eq!(own, []);
    assert_eq!(describe(world, eid), *before, "archives stay");
}

#[track_caller]
fn nothing_is_wrong(world: &World) {
    let audit = world.block(world.engine.audit()).unwrap();
    assert_eq!(audit.findings, []);
}

/// How an execution ends that was re-opened: nothing does that yet, so a test commits it.
fn commit(world: &World, eid: ExecutionId, status: Status, entries: Vec<Entry>) {
    let ports = world.engine.ports();
    world.block(async {
        let mut journal = Journal::load(ports, &eid).await.unwrap().unwrap();
        let settings = Settings::default();
        let draft = draft(ports, status, entries);
        journal.commit(ports, &settings, draft).await.unwrap();
    });
}

fn draft(ports: &Ports, status: Status, entries: Vec<Entry>) -> crate::journal::Draft {
    crate::journal::Draft {
        at: ports.clock.now(),
        by: crate::domain::Actor::system("test").into(),
        frames: None,
        entries,
        lease: None,
        status,
        timer: None,
        fired: None,
        outbox: Vec::new(),
        news: Vec::new(),
        crash_count: 0,
        budget: crate::domain::Budget::default(),
        unread: None,
        deadline: ports.clock.monotonic() + DAY,
    }
}
