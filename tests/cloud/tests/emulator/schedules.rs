//! Schedules.

use std::time::Duration;

use jiff::Timestamp;
use millpond_cloud::schedule::Schedule;
use serde_json::json;

use crate::stage::{Stage, until};

const INPUT: &str = r#"{"tick":"<aws.scheduler.scheduled-time>"}"#;

#[tokio::test]
async fn a_tick_on_demand_names_its_instant_in_whole_seconds() {
    let stage = Stage::new().await;
    let schedule = Schedule::new(stage.function.clone(), INPUT);
    let at: Timestamp = "2026-03-01T12:00:59.75Z".parse().expect("it is one");
    schedule.tick(at).await.expect("it answers");
    assert_eq!(stage.events(), [json!({"tick": "2026-03-01T12:00:59Z"})]);
}

#[tokio::test]
async fn a_schedule_ticks_by_itself_until_it_is_dropped() {
    let stage = Stage::new().await;
    let schedule = Schedule::new(stage.function.clone(), INPUT);
    let ticking = schedule.every(Duration::from_millis(50));
    until("it has ticked", async || stage.events().len() >= 3).await;
    drop(ticking);
    assert!(stage.events().iter().all(|event| event["tick"].is_string()));
}
