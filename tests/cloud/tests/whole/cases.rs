//! Cases that other engines got wrong, with the real functions.

use millpond_cloud::queue::event;
use millpond_cloud::scene::Scene;
use serde_json::{Value, json};

use crate::hand::{PATIENCE, by_hand, hasty, mail, notification, resume, until_status};

#[tokio::test]
async fn case20_of_a_batch_exactly_the_poisoned_message_is_reported() {
    let scene = by_hand().await;
    let mut eids = Vec::new();
    for number in 0..7 {
        let tag = format!("good-{number}");
        eids.push(scene.start("three", &tag, json!(tag)).await);
    }
    let twofold = scene.start("approval", "twofold", json!("twofold")).await;
    scene.signal(&twofold, "go", &json!("on")).await;
    let poisoned = scene.start("three", "poisoned", json!("poisoned")).await;
    let shard = &poisoned[poisoned.len() - 2..];
    scene
        .upload(&format!("pond/x/{shard}/{poisoned}/head"), "no head")
        .await;

    let mut keys = Vec::new();
    for eid in &eids[..5] {
        keys.extend(mail(&scene, eid).await);
    }
    keys.extend(mail(&scene, &twofold).await);
    assert_eq!(
        keys.len(),
        7,
        "a message each, two of one execution: {keys:?}"
    );
    // The seventh.
    keys.insert(6, mail(&scene, &poisoned).await.remove(0));
    keys.extend(mail(&scene, &eids[5]).await);
    let mut batch: Vec<_> = keys
        .iter()
        .enumerate()
        .map(|(id, key)| notification(&scene, id, key))
        .collect();
    batch.push(batch[1].clone());
    assert_eq!(batch.len(), 10);
    batch.reverse();

    let worker = scene.stack.function("WorkerFunction");
    let arn = &scene.stack.queue("DefaultQueue").arn;
    let first = worker.invoke(event(arn, &batch).to_string());
    // It comes again while the first still runs.
    let again = worker.invoke(event(arn, &batch).to_string());
    let (first, again) = tokio::join!(first, again);
    for answer in [first, again] {
        let answer: Value = serde_json::from_slice(&answer.expect("it answers")).expect("JSON");
        assert_eq!(
            answer,
            json!({"batchItemFailures": [{"itemIdentifier": "message-6"}]})
        );
    }
    let all = scene.executions().await;
    let status = |eid: &String| {
        all.iter()
            .find(|each| each.eid == *eid)
            .map(|each| each.status.as_str())
    };
    for eid in eids[..6].iter().chain([&twofold]) {
        assert_eq!(
            status(eid),
            Some("completed"),
            "what was acknowledged is done"
        );
    }
    assert_eq!(
        status(&eids[6]),
        Some("pending"),
        "no worker was notified of it"
    );
    let mut steps: Vec<_> = scene
        .notes()
        .into_iter()
        .map(|note| (note.tag, note.step))
        .collect();
    let attempts = steps.len();
    steps.sort_unstable();
    steps.dedup();
    assert_eq!(
        (attempts, steps.len()),
        (6 * 3 + 2, 6 * 3 + 2),
        "each step once: {steps:?}"
    );
    assert!(
        scene.stack.refused().is_empty(),
        "{:?}",
        scene.stack.refused()
    );
}

/// What takes its process down is parked, and others are served; released, it is parked again.
async fn is_parked(workflow: &str) {
    let mut setting = hasty();
    setting.memory_mb = 128;
    let scene = Scene::open(setting).await.expect("the scene is set");
    let _sweeping = scene.sweeping();
    let bad = scene.start(workflow, "bad", json!("bad")).await;
    let mut good = Vec::new();
    for number in 0..4 {
        let tag = format!("good-{number}");
        good.push(scene.start("three", &tag, json!(tag)).await);
    }
    for eid in &good {
        until_status(&scene, eid, "completed").await;
    }
    until_status(&scene, &bad, "blocked").await;
    let failed = scene.stack.function("WorkerFunction").reports();
    let failed = failed.iter().filter(|report| report.failure.is_some());
    assert!(failed.count() >= 5, "it was tried often enough");
    let mut steps: Vec<_> = scene
        .notes()
        .into_iter()
        .map(|note| (note.tag, note.step))
        .collect();
    steps.sort_unstable();
    steps.dedup();
    assert_eq!(steps.len(), 4 * 3, "all steps of the others ran");
    let place = format!("/executions/{bad}");
    let first = scene.get(&place).await.body;
    let why = first["blocked"].as_str().expect("the cause is shown");
    assert!(why.contains("crash_count=5"), "{why}");
    resume(&scene, &bad).await;
    let again = async || {
        let now = scene.get(&place).await.body;
        now["status"] == "blocked" && now["commit"].as_u64() > first["commit"].as_u64()
    };
    scene.until("it is parked again", PATIENCE, again).await;
}

#[tokio::test]
async fn case26_a_workflow_that_aborts_the_process_is_parked_and_others_are_served() {
    is_parked("crash").await;
}

#[tokio::test]
async fn case26_a_workflow_that_eats_the_memory_is_parked_and_others_are_served() {
    is_parked("glutton").await;
}

#[tokio::test]
async fn case18_a_step_longer_than_the_function_fails_in_the_end() {
    let scene = Scene::open(hasty()).await.expect("the scene is set");
    let _sweeping = scene.sweeping();
    let long = scene
        .start("slow", "long", json!({"tag": "long", "millis": 60_000}))
        .await;
    let short = scene
        .start("slow", "short", json!({"tag": "short", "millis": 1_500}))
        .await;
    until_status(&scene, &short, "completed").await;
    until_status(&scene, &long, "failed").await;
    let tries = scene
        .notes()
        .iter()
        .filter(|note| note.tag == "long")
        .count();
    assert!((2..=8).contains(&tries), "{tries} attempts");
    let timed_out = scene.stack.function("WorkerFunction").reports();
    let timed_out = timed_out
        .iter()
        .filter(|report| report.failure.is_some())
        .count();
    assert_eq!(timed_out, 0, "the worker answers in time");
}
