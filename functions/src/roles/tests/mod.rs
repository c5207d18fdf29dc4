//! Roles on an engine in memory, with manual time.

mod batches;
mod cut_sweeps;
mod cuts;
mod deadlines;
mod hints;
mod owed;
mod sweeps;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use millpond::client::{App, Start};
use millpond::domain::ExecutionId;
use millpond::keys::{self, MailKey};
use millpond::ports::{Bucket as _, Clock as _, Expect, Outcome};
use millpond::prelude::*;
use millpond::settings::Settings;
use millpond_testing::{ManualClock, World};
use serde_json::{Value, json};

use super::{Batch, Deadline, Deliveries, Root, Seen, batch};
use crate::events::Event;

/// More time than any test needs.
pub(super) const MINUTE: Duration = Duration::from_secs(60);

async fn add(ctx: Context, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for one in 0..n {
        let step = ctx.step("one", move || async move { Ok::<_, StepError>(one) });
        sum += step.await?;
    }
    Ok(sum)
}

async fn nap(ctx: Context, seconds: u64) -> Result<u64, Failed> {
    ctx.sleep(Duration::from_secs(seconds)).await?;
    Ok(seconds)
}

/// Workflows, one of which has a step that takes time by the engine's clock.
pub(super) fn world() -> World {
    let clock: Arc<OnceLock<Arc<ManualClock>>> = Arc::default();
    let known = Arc::clone(&clock);
    let slow = move |ctx: Context, seconds: u64| {
        let clock = Arc::clone(&known);
        async move {
            let step = ctx.step("slow", move || {
                let clock = Arc::clone(clock.get().expect("set with the world"));
                async move {
                    clock.sleep(Duration::from_secs(seconds)).await;
                    Ok::<_, StepError>(seconds)
                }
            });
            Ok::<_, Failed>(step.await?)
        }
    };
    let app = App::new()
        .workflow("add", "1", add)
        .workflow("nap", "1", nap)
        .workflow("slow", "1", slow);
    // A process may stand still during a request, however long, and then go on.
    let settings = Settings {
        request_timeout: Duration::MAX,
        ..Settings::default()
    };
    let world = World::with_settings(app, settings);
    let _ = clock.set(Arc::clone(&world.clock));
    world
}

pub(super) fn root() -> Root {
    Root {
        bucket: "pond".to_owned(),
        prefix: "team/".to_owned(),
    }
}

pub(super) fn start(world: &World, workflow: &str, input: u64) -> ExecutionId {
    world.start(Start::new(workflow).input(&input)).eid
}

/// S3's notification of a written key.
pub(super) fn notification(key: &str) -> Value {
    let object = json!({"key": key, "size": 1, "sequencer": "0055"});
    json!({"Records": [{
        "eventVersion": "2.1",
        "eventSource": "aws:s3",
        "eventName": "ObjectCreated:Put",
        "s3": {"bucket": {"name": "pond"}, "object": object},
    }]})
}

/// S3's notification of the oldest mail of `eid`, as a message.
pub(super) fn message(world: &World, id: &str, eid: ExecutionId, received: u64) -> Value {
    let rows = world.memory.snapshot();
    let mail = |key: &&millpond::keys::Key| MailKey::parse(key).is_some_and(|m| m.eid == eid);
    let key = rows.iter().map(|(key, _)| key).find(mail);
    let key = key.map_or_else(
        || {
            keys::mail(
                &Default::default(),
                &eid,
                &millpond::domain::MessageId::start(),
            )
        },
        Clone::clone,
    );
    sqs(
        id,
        &notification(&format!("team/{key}")).to_string(),
        received,
    )
}

pub(super) fn sqs(id: &str, body: &str, received: u64) -> Value {
    json!({
        "messageId": id,
        "eventSource": "aws:sqs",
        "body": body,
        "attributes": {"ApproximateReceiveCount": received.to_string()},
    })
}

pub(super) fn read(messages: &[Value]) -> Deliveries {
    Deliveries::read(Event::read(json!({ "Records": messages })), &root())
}

/// Serves messages within a minute.
pub(super) fn serve(world: &World, messages: &[Value]) -> Batch {
    let all = read(messages);
    let deadline = Deadline::within(&*world.clock, MINUTE);
    world.block(batch(
        &world.engine,
        &Seen::default(),
        &all.records,
        deadline,
    ))
}

/// Overwrites the head of an execution with invalid content.
pub(super) fn break_head(world: &World, eid: ExecutionId) {
    let key = keys::head(&eid);
    let old = world
        .block(world.memory.read(&key))
        .expect("in a test")
        .expect("in a test");
    let junk = Bytes::from_static(b"not a head");
    let put = world.memory.write(&key, junk, Expect::At(old.version));
    assert!(matches!(world.block(put), Ok(Outcome::Landed(_))));
}

pub(super) fn failed(batch: &Batch) -> Vec<&str> {
    batch.failed.iter().map(String::as_str).collect()
}
