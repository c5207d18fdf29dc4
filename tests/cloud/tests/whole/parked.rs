//! Case 26: what goes wrong each time, and what cannot be read.

use std::time::Duration;

use millpond_cloud::scene::{Reply, Scene};
use serde_json::json;

use crate::hand::{hasty, resume, until_status};

async fn look(scene: &Scene, eid: &str) -> Reply {
    scene.get(&format!("/executions/{eid}")).await
}

/// Why it is parked, and the commit that parked it.
async fn parked(scene: &Scene, eid: &str) -> (String, u64) {
    until_status(scene, eid, "blocked").await;
    let body = look(scene, eid).await.body;
    let why = body["blocked"].as_str().expect("the cause is shown");
    (
        why.to_owned(),
        body["commit"].as_u64().expect("it is a number"),
    )
}

#[tokio::test]
async fn case26_what_spins_panics_or_cannot_be_read_is_parked_and_others_are_served() {
    let mut setting = hasty();
    // A spinning thread takes half of a small machine.
    setting.timeout = Duration::from_secs(6);
    setting.visibility = Duration::from_secs(6);
    setting.ttl = Duration::from_secs(3);
    let scene = Scene::open(setting).await.expect("the scene is set");
    let _sweeping = scene.sweeping();
    let spins = scene.start("spin", "spins", json!("spins")).await;
    let panics = scene.start("panicky", "panics", json!("panics")).await;
    let junk = scene.start("approval", "junk", json!("junk")).await;
    let shard = &junk[junk.len() - 2..];
    let key = format!("pond/mail/default/{shard}/{junk}/2.00000000-0000-4000-8000-000000000007");
    scene.upload(&key, "no message").await;
    let queue = scene.stack.queue("DefaultQueue");
    for body in [
        " ",
        "no JSON",
        r#"{"Records": 7}"#,
        r#"{"Records": [{"s3": "none"}]}"#,
    ] {
        queue.send(body, Duration::ZERO).await;
    }
    let mut good = Vec::new();
    for number in 0..4 {
        let tag = format!("good-{number}");
        good.push(scene.start("three", &tag, json!(tag)).await);
    }
    let mut last = String::new();
    for eid in &good {
        until_status(&scene, eid, "completed").await;
        let at = look(&scene, eid).await.body["at"].clone();
        last = last.max(at.as_str().expect("it is an instant").to_owned());
    }

    // Fixed code continues it after a resume.
    let (why, _) = parked(&scene, &panics).await;
    assert!(why.contains("it panics on purpose"), "{why}");

    let (why, first) = parked(&scene, &junk).await;
    assert!(why.contains(&key["pond/".len()..]), "{why}");
    resume(&scene, &junk).await;
    scene.signal(&junk, "go", &json!("on")).await;
    until_status(&scene, &junk, "completed").await;
    let after = look(&scene, &junk).await.body["commit"].as_u64();
    assert!(after > Some(first));

    let (why, _) = parked(&scene, &spins).await;
    assert!(why.contains("crash_count="), "{why}");
    let at = look(&scene, &spins).await.body["at"].clone();
    let at = at.as_str().expect("it is an instant");
    assert!(
        last.as_str() < at,
        "the others were done at {last}, it was parked at {at}"
    );
    // What cannot be read is acknowledged; only who never ends may come too often.
    let dead = scene.stack.queue("DefaultDead").receive(10, Duration::ZERO);
    for message in dead.await {
        assert!(message.body.contains(&spins), "{message:?}");
    }
    assert!(
        scene.stack.refused().is_empty(),
        "{:?}",
        scene.stack.refused()
    );
    let steps = scene
        .notes()
        .into_iter()
        .filter(|note| note.tag.starts_with("good"));
    let steps: std::collections::BTreeSet<_> = steps.map(|note| (note.tag, note.step)).collect();
    assert_eq!(steps.len(), 4 * 3, "all steps of the others ran");
}
