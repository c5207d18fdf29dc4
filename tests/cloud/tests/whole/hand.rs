//! Scenes, and messages that are handed to the worker.

use std::time::Duration;

use millpond::client::Engine;
use millpond::domain::{Began, Entry, ExecutionId};
use millpond_cloud::queue::{Chaos, Message};
use millpond_cloud::scene::{Scene, Setting};
use serde_json::json;

/// Longer than anything takes on a machine that is busy with other things.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

pub(crate) fn setting() -> Setting {
    Setting::new(env!("CARGO_BIN_EXE_millpond-cloud-app"))
}

/// A scene in which no message reaches the worker by itself.
pub(crate) async fn by_hand() -> Scene {
    let mut setting = setting();
    setting.chaos = Chaos {
        lost_percent: 100,
        ..Chaos::default()
    };
    Scene::open(setting).await.expect("the scene is set")
}

/// Short times, so that what comes again comes soon.
pub(crate) fn hasty() -> Setting {
    let mut setting = setting();
    setting.timeout = Duration::from_secs(4);
    setting.visibility = Duration::from_secs(4);
    setting.ttl = Duration::from_secs(2);
    setting.sweep = Duration::from_secs(3);
    setting
}

/// The notification of an object in a message.
pub(crate) fn notification(scene: &Scene, id: usize, key: &str) -> Message {
    let body = json!({"Records": [{
        "eventVersion": "2.1",
        "eventSource": "aws:s3",
        "eventName": "ObjectCreated:Put",
        "s3": {"bucket": {"name": scene.stack.bucket}, "object": {"key": key, "eTag": "e", "sequencer": "1"}},
    }]});
    Message {
        id: format!("message-{id}"),
        receipt: format!("receipt-{id}"),
        body: body.to_string(),
        md5: String::new(),
        attributes: [("ApproximateReceiveCount".to_owned(), "1".to_owned())].into(),
    }
}

/// The mail of an execution.
pub(crate) async fn mail(scene: &Scene, eid: &str) -> Vec<String> {
    let shard = &eid[eid.len() - 2..];
    scene
        .keys(&format!("pond/mail/default/{shard}/{eid}/"))
        .await
}

/// Releases what is parked, by the command.
pub(crate) async fn resume(scene: &Scene, eid: &str) {
    let (out, well) = scene.command(&["resume", eid]).await;
    assert!(well, "{eid} is not released: {out}");
}

/// Waits until the API returns this status.
pub(crate) async fn until_status(scene: &Scene, eid: &str, status: &str) {
    let path = format!("/executions/{eid}");
    let what = format!("{path} is {status}");
    let is_so = async || scene.get(&path).await.body["status"] == status;
    scene.until(&what, PATIENCE, is_so).await;
}

/// The attempts that began, by its journal: the step's frame and the number.
pub(crate) async fn begun(engine: &Engine, eid: &str) -> Vec<(String, u32)> {
    let eid: ExecutionId = eid.parse().expect("it is an id");
    let page = engine.journal(eid, 1, 10_000).await;
    let entries = page.expect("the journal can be read").commits.into_iter();
    let begun = |entry| match entry {
        Entry::FrameStarted {
            fid,
            began: Began::Step { attempt, .. },
        } => {
            let fid = fid.to_string();
            let name = fid.rsplit('/').next().unwrap_or_default();
            let name = name.split('#').next().unwrap_or_default();
            Some((name.to_owned(), attempt))
        }
        _ => None,
    };
    entries
        .flat_map(|commit| commit.entries)
        .filter_map(begun)
        .collect()
}
