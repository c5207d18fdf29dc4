//! Case 18: steps and the end of an invocation.

use std::time::Duration;

use millpond::client::App;
use millpond_cloud::scene::Scene;
use serde_json::json;

use crate::hand::{PATIENCE, begun, hasty, until_status};

#[tokio::test]
async fn case18_a_step_that_ends_within_the_margin_is_committed_and_a_killed_one_is_made_again() {
    let mut setting = hasty();
    // From 12 s on no step begins; from 14 s on none goes on.
    setting.timeout = Duration::from_secs(15);
    setting.visibility = Duration::from_secs(16);
    let scene = Scene::open(setting).await.expect("the scene is set");
    let _sweeping = scene.sweeping();
    let worker = scene.stack.function("WorkerFunction");
    let engine = scene.engine(App::new()).await;

    let killed = scene
        .start("slow", "killed", json!({"tag": "killed", "millis": 1_500}))
        .await;
    let runs = async || scene.notes().iter().any(|note| note.tag == "killed");
    scene.until("its step runs", PATIENCE, runs).await;
    assert!(worker.kill_one(0).is_some());

    let late = scene
        .start("late", "late", json!({"tag": "late", "millis": 12_400}))
        .await;
    until_status(&scene, &killed, "completed").await;
    assert_eq!(
        begun(&engine, &killed).await,
        [("slow".to_owned(), 1), ("slow".to_owned(), 2)]
    );
    until_status(&scene, &late, "completed").await;
    assert_eq!(
        begun(&engine, &late).await,
        [("late".to_owned(), 1), ("after".to_owned(), 1)]
    );
    let notes = scene.notes();
    let of = |step: &str| {
        notes
            .iter()
            .find(|note| note.step == step && note.tag == "late")
    };
    let (began, after) = (of("late").expect("it ran"), of("after").expect("it ran"));
    let reports = worker.reports();
    let whose = reports.iter().find(|report| {
        report.begun <= began.at
            && began.at <= report.begun + report.took
            && report.took > Duration::from_secs(12)
    });
    let whose = whose.unwrap_or_else(|| panic!("no invocation took so long: {reports:?}"));
    assert_eq!(whose.failure, None, "it answered in time");
    assert!(
        after.at > whose.begun + whose.took,
        "the next step waited for the next invocation"
    );
    let failed = reports
        .iter()
        .filter(|report| report.failure.is_some())
        .count();
    assert_eq!(failed, 1, "only who was killed did not answer: {reports:?}");
    assert_eq!(scene.dead_letters().await, 0);
}
