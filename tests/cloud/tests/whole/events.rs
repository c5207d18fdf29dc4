//! Uploads and the starter.

use std::collections::BTreeMap;
use std::time::Duration;

use millpond_cloud::lambda::Failure;
use millpond_cloud::queue::Chaos;
use millpond_cloud::scene::{Scene, Setting, storm};
use serde_json::json;

const PATIENCE: Duration = Duration::from_secs(300);

async fn open(rules: &str) -> Scene {
    let mut setting = Setting::new(env!("CARGO_BIN_EXE_millpond-cloud-app"));
    setting.rules = Some(rules.to_owned());
    setting.chaos = Chaos {
        seed: 21,
        copies: 3,
        shuffle: 60,
        lost_percent: 0,
    };
    Scene::open(setting).await.expect("the scene is set")
}

#[tokio::test]
async fn case21_each_version_of_an_object_starts_once_and_its_key_is_decoded_once() {
    let scene = open(storm::RULES).await;
    let mut versions = BTreeMap::new();
    let odd = [
        "a b", "a+b", "a%2Fb", "a%20b", "🚀", "ü/ß", "a&b=c", "a%2Bb",
    ];
    for name in odd
        .iter()
        .map(ToString::to_string)
        .chain((0..20).map(|n| format!("plain-{n}")))
    {
        versions.insert(format!("inbox/{name}"), 1);
    }
    for key in versions.keys() {
        scene.upload(key, key.clone()).await;
    }
    for name in ["a b", "plain-3", "plain-4"] {
        let key = format!("inbox/{name}");
        scene.remove(&key).await;
        scene.upload(&key, "once more").await;
        versions.insert(key, 2);
    }
    let count = versions.values().sum();
    let all = scene.rest(count, PATIENCE).await;
    assert!(all.iter().all(|each| each.status == "completed"), "{all:?}");
    // Once more for what comes later than all else.
    scene.calm(PATIENCE).await;
    assert_eq!(scene.executions().await.len(), count);
    let mut seen = BTreeMap::new();
    for note in scene.notes().into_iter().filter(|note| note.step == "one") {
        *seen.entry(note.tag).or_insert(0) += 1;
    }
    assert_eq!(
        seen, versions,
        "a step for each version, by the key as it is"
    );
    assert_eq!(scene.dead_letters().await, 0);
    assert!(
        scene.stack.refused().is_empty(),
        "{:?}",
        scene.stack.refused()
    );
}

#[tokio::test]
async fn case21_a_rule_that_covers_the_engines_own_prefix_starts_nothing() {
    let rules = storm::RULES.replace("prefix = \"inbox/\"\n", "");
    let scene = open(&rules).await;
    let event = json!({"Records": []}).to_string();
    match scene.stack.function("StarterFunction").invoke(event).await {
        Err(Failure::Handled { message, .. }) => assert!(message.contains("storm"), "{message}"),
        other => panic!("it was taken: {other:?}"),
    }
    scene.upload("inbox/a", "a").await;
    assert!(scene.executions().await.is_empty());
}
