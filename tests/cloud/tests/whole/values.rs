//! Case 19: large values, and what is too large.

use std::time::Duration;

use futures::future::join_all;
use millpond::client::{App, Engine, Signal};
use millpond::domain::{ExecutionId, kind};
use millpond_cloud::lambda::MOST_BYTES;
use millpond_cloud::scene::Scene;
use serde_json::{Value, json};

use crate::hand::{PATIENCE, setting, until_status};

const KB: usize = 1 << 10;
const SIZES: [usize; 5] = [
    255 * KB,
    256 * KB - 1,
    256 * KB,
    256 * KB + 1,
    MOST_BYTES + 1,
];

/// The same as the application's.
fn text(bytes: usize) -> String {
    let mut text: String = (0..bytes / 8).map(|n| format!("{n:08}")).collect();
    text.extend(std::iter::repeat_n('x', bytes - text.len()));
    text
}

async fn ended(scene: &Scene, eid: &str) -> Value {
    let path = format!("/executions/{eid}/result");
    let is_so = async || scene.get(&path).await.status == 200;
    scene.until("it ends", PATIENCE, is_so).await;
    scene.get(&path).await.body
}

/// Sends to an execution the result of its step; it returns all of it.
async fn goes_through(scene: &Scene, engine: &Engine, bytes: usize, eid: &str) {
    until_status(scene, eid, "suspended").await;
    let value = text(bytes - 2);
    let id: ExecutionId = eid.parse().expect("it is an id");
    if bytes < MOST_BYTES {
        scene.signal(eid, "in", &json!(value)).await;
    } else {
        // The sender of an event that is too large for Lambda receives an error, and can use the bucket instead.
        let body = json!({"channel": "in", "payload": value});
        let reply = scene
            .post(&format!("/executions/{eid}/signal"), &body)
            .await;
        assert_eq!(reply.status, 413, "{reply:?}");
        let signal = Signal::on("in").value(&value);
        let _ = engine
            .signal(id, signal)
            .await
            .expect("the engine takes it");
    }
    until_status(scene, eid, "completed").await;
    let outcome = engine.result(id, PATIENCE).await.expect("it ends");
    let (same, received): (bool, String) = outcome.get().expect("it has not failed");
    assert!(same && received == value, "{bytes}");
    let head = engine.execution(id).await.expect("it is there").head_bytes;
    assert!(head < 16 * 1024, "{bytes}: a head of {head} bytes");
    let reply = scene.get(&format!("/executions/{eid}/result")).await;
    if bytes < MOST_BYTES {
        assert_eq!(
            (reply.status, &reply.body["value"][1]),
            (200, &json!(value)),
            "{bytes}"
        );
    } else {
        // Nor does it return so large an answer: the caller receives the place to read it.
        assert_eq!(reply.status, 413, "{bytes}");
        assert_eq!(reply.body["code"], "too_large", "{bytes}");
        let (out, well) = scene.command(&["result", eid, "--json"]).await;
        assert!(well && out.contains(&value), "{bytes}: the command has it");
    }
}

#[tokio::test]
async fn case19_values_of_every_size_go_through_and_what_is_over_the_cap_is_refused_with_its_size()
{
    let mut setting = setting();
    // Nothing is lost here, and megabytes take their time on a machine that is busy.
    setting.timeout = Duration::from_secs(60);
    setting.visibility = Duration::from_secs(65);
    setting.ttl = Duration::from_secs(30);
    setting.instances = 2 * SIZES.len();
    let scene = Scene::open(setting).await.expect("the scene is set");
    let _sweeping = scene.sweeping();
    let engine = scene.engine(App::new()).await;
    let mut sized = Vec::new();
    for bytes in SIZES {
        let key = format!("sized-{bytes}");
        sized.push((bytes, scene.start("sized", &key, json!(bytes)).await));
    }
    let huge = scene.start("huge", "huge", json!("huge")).await;
    let talkative = scene.start("talkative", "talkative", Value::Null).await;

    let all = sized
        .iter()
        .map(|(bytes, eid)| goes_through(&scene, &engine, *bytes, eid));
    join_all(all).await;

    let value = ended(&scene, &huge).await["value"].clone();
    assert_eq!(value[0], kind::PAYLOAD_TOO_LARGE, "{value}");
    let size = format!("bytes={}", (16 << 20) + 2);
    assert!(
        value[1].as_str().is_some_and(|text| text.contains(&size)),
        "{value}"
    );
    let tries = scene
        .notes()
        .iter()
        .filter(|note| note.step == "huge")
        .count();
    assert_eq!(tries, 1, "it is not tried again");

    let failure = ended(&scene, &talkative).await["failure"].clone();
    let message = failure["message"].as_str().expect("it has one");
    let mark = format!("... [cut, {} bytes]", 10 << 20);
    assert!(
        message.ends_with(&mark) && message.len() < 9_000,
        "{}",
        message.len()
    );
    let failed = scene.stack.function("WorkerFunction").reports();
    let failed: Vec<_> = failed
        .iter()
        .filter_map(|report| report.failure.as_ref())
        .collect();
    assert!(failed.is_empty(), "no worker was taken down: {failed:?}");
    assert_eq!(scene.dead_letters().await, 0);
    assert!(
        scene.stack.refused().is_empty(),
        "{:?}",
        scene.stack.refused()
    );
}
