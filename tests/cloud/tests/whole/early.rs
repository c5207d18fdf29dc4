//! Case 2: messages that come as early as they can.

use std::time::Duration;

use futures::future::join_all;
use millpond_cloud::scene::{Reply, Scene};
use serde_json::{Value, json};

use crate::hand::{PATIENCE, setting};

/// Signals an execution that has no key yet, or has one: `absent` starts it.
const RULES: &str = r#"
[[trigger]]
name = "word"
source = "sqs"
workflow = "gather"
input = "$.body.words"

[trigger.signal]
channel = "go"
to = "${$.body.to}"
payload = "$.body.word"
absent = "start"
"#;

/// Pairs of a start and a message to it.
const PAIRS: u64 = 24;
/// Of them at once: an instance of the API each, and one for the message.
const AT_ONCE: usize = 4;

/// Sends a word by the API.
async fn signal(scene: &Scene, id: &str, word: &str) -> Reply {
    let body = json!({"channel": "go", "payload": word});
    scene.post(&format!("/executions/{id}/signal"), &body).await
}

async fn started(scene: &Scene, key: &str, words: usize) -> String {
    scene.start("gather", key, json!(words)).await
}

async fn result(scene: &Scene, id: &str) -> Value {
    let path = format!("/executions/{id}/result");
    let mut reply = scene.get(&path).await;
    scene
        .until(&format!("{id} ends"), PATIENCE, async || {
            reply = scene.get(&path).await;
            reply.status == 200
        })
        .await;
    reply.body["value"].clone()
}

/// Starts an execution and, `after` that was sent, signals it; whether that was accepted.
async fn at_once(scene: &Scene, key: &str, after: Duration) -> bool {
    let reply = async {
        tokio::time::sleep(after).await;
        signal(scene, &format!("key:{key}"), "early").await
    };
    let (_, reply) = tokio::join!(started(scene, key, 1), reply);
    match reply.status {
        202 => true,
        404 => {
            assert_eq!(reply.body["code"], "not_found", "{reply:?}");
            false
        }
        _ => panic!("{key}: neither accepted nor refused: {reply:?}"),
    }
}

#[tokio::test]
async fn case02_a_message_is_consumed_if_and_only_if_it_was_acknowledged_however_early_it_comes() {
    let mut setting = setting();
    setting.ttl = Duration::from_secs(2);
    setting.held = true;
    setting.instances = 2 * AT_ONCE;
    setting.rules = Some(RULES.to_owned());
    let ttl = setting.ttl;
    let scene = Scene::open(setting).await.expect("the scene is set");
    let sweeping = scene.sweeping();

    // Only the sender learns that a message has no receiver.
    for nobody in ["key:nobody", "00000000-0000-4000-8000-000000000001"] {
        let reply = signal(&scene, nobody, "lost").await;
        assert_eq!(
            (reply.status, &reply.body["code"]),
            (404, &json!("not_found")),
            "{reply:?}"
        );
    }
    // At the instant of the start, and then at many instants while it is under way.
    let first = started(&scene, "first", 2).await;
    for word in ["one", "two"] {
        assert_eq!(signal(&scene, &first, word).await.status, 202);
    }
    let before = signal(&scene, "key:pair-after", "too early").await;
    assert_eq!(before.status, 404, "it is not started yet");
    let mut taken = Vec::new();
    for some in Vec::from_iter(0..PAIRS).chunks(AT_ONCE) {
        let pairs = some.iter().map(async |number| {
            let key = format!("pair-{number}");
            let taken = at_once(&scene, &key, Duration::from_millis(number * 25)).await;
            (key, taken)
        });
        taken.extend(join_all(pairs).await);
    }
    started(&scene, "pair-after", 1).await;
    let after = signal(&scene, "key:pair-after", "early").await;
    assert_eq!(after.status, 202, "it is started");
    taken.push(("pair-after".to_owned(), true));
    // Rules that start their target and signal it, at once, and again when it exists.
    let events = scene.stack.queue("EventsQueue");
    let both = ["a", "b", "c", "d"].map(|word| {
        let body = json!({"to": "both", "words": 5, "word": word}).to_string();
        async move { events.send(&body, Duration::ZERO).await }
    });
    join_all(both).await;
    scene
        .until("somebody has started it", PATIENCE, async || {
            scene.get("/executions/key:both").await.status == 200
        })
        .await;
    assert_eq!(signal(&scene, "key:both", "e").await.status, 202);

    // The worker is held for longer than a lease lasts.
    tokio::time::sleep(ttl).await;
    assert!(scene.stack.function("WorkerFunction").reports().is_empty());
    scene.release();
    assert_eq!(result(&scene, &first).await, json!(["one", "two"]));
    let mut both = result(&scene, "key:both").await;
    let words = both.as_array_mut().expect("it is a list");
    words.sort_by_key(ToString::to_string);
    assert_eq!(both, json!(["a", "b", "c", "d", "e"]));
    for (key, _) in taken.iter().filter(|(_, taken)| !taken) {
        // It waits: what was not acknowledged has not come.
        let id = format!("key:{key}");
        let place = format!("/executions/{id}/result");
        assert_eq!(scene.get(&place).await.status, 202, "{key}");
        assert_eq!(signal(&scene, &id, "late").await.status, 202, "{key}");
    }
    for (key, taken) in &taken {
        let word = if *taken { "early" } else { "late" };
        let got = result(&scene, &format!("key:{key}")).await;
        assert_eq!(got, json!([word]), "{key}");
    }
    drop(sweeping);
    println!(
        "{} of {} were taken",
        taken.iter().filter(|(_, taken)| *taken).count(),
        taken.len()
    );
    scene.calm(PATIENCE).await;
    assert_eq!(scene.executions().await.len(), taken.len() + 2);
    assert_eq!(scene.dead_letters().await, 0);
    assert!(
        scene.stack.refused().is_empty(),
        "{:?}",
        scene.stack.refused()
    );
}
