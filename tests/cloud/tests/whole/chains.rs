//! Chains of invocations: an execution is none of the loops that Lambda stops (issue 14, item 17).

use millpond_cloud::lambda::MOST_HOPS;
use millpond_cloud::scene::Scene;
use serde_json::json;

use crate::hand::{PATIENCE, setting, until_status};

#[tokio::test]
async fn d17_lambda_does_not_take_an_execution_for_a_loop() {
    let scene = Scene::open(setting()).await.expect("the scene is set");
    let ten = json!({"tag": "ten", "children": 10});
    let eid = scene.start("relay", "ten", ten).await;
    until_status(&scene, &eid, "completed").await;
    let hops = scene.stack.function("WorkerFunction").hops();
    assert!(hops > MOST_HOPS, "two runs for each child: {hops}");
}

#[tokio::test]
async fn d17_without_the_property_lambda_stops_a_long_execution() {
    let mut setting = setting();
    setting.stops_chains = true;
    let scene = Scene::open(setting).await.expect("the scene is set");
    let ten = json!({"tag": "ten", "children": 10});
    let eid = scene.start("relay", "ten", ten).await;
    let mail = scene.stack.mapping("WorkerFunctionMail");
    let stopped = async || mail.counts().stopped > 0;
    scene.until("Lambda stops it", PATIENCE, stopped).await;
    assert_eq!(scene.stack.function("WorkerFunction").hops(), MOST_HOPS);
    let status = scene.get(&format!("/executions/{eid}")).await.body;
    assert_ne!(status["status"], "completed");
}
