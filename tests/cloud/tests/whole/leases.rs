//! N10: an execution whose holder had a clock far ahead, and died.

use jiff::SignedDuration;
use millpond::client::{App, Notice, Worker, WorkerOptions};
use millpond::prelude::*;
use millpond_cloud::scene::Scene;
use serde_json::json;

use crate::hand::{hasty, until_status};

/// As the application's workflow, but its first step never ends.
#[millpond::workflow]
async fn three(ctx: Context, tag: String) -> Result<String, Failed> {
    let step = ctx.step("one", std::future::pending::<Result<(), StepError>>);
    step.await?;
    Ok(tag)
}

#[tokio::test]
async fn n10_a_function_takes_over_from_a_holder_whose_clock_was_far_ahead() {
    let mut setting = hasty();
    setting.held = true;
    let scene = Scene::open(setting).await.expect("the scene is set");
    let app = App::new().register::<three>();
    // Five leases. The instants that it records remain, so the next attempt begins only after them.
    let engine = scene.engine_ahead(SignedDuration::from_secs(10), app).await;
    let eid = scene.start("three", "far", json!("far")).await;

    let (stop, abandon) = (Notice::new(), Notice::new());
    let worker = Worker::new(&engine, WorkerOptions::default());
    let holds = async {
        until_status(&scene, &eid, "running").await;
        stop.set();
        abandon.set();
    };
    tokio::join!(worker.run(&stop, &abandon), holds);

    scene.release();
    let _sweeping = scene.sweeping();
    until_status(&scene, &eid, "completed").await;
    let steps: Vec<_> = scene.notes().into_iter().map(|note| note.step).collect();
    assert_eq!(steps, ["one", "two", "three"]);
    let refused = scene.stack.refused();
    assert!(refused.is_empty(), "{refused:?}");
}
