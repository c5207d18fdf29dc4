//! `doctor` and `bucket` on a real S3 server.

use std::process::Command;

use millpond_servers::{Place, Server};
use serde_json::Value;

use crate::world::{Done, World};

fn command(world: &World, place: &Place, args: &[&str]) -> Command {
    let mut command = world.command(args);
    command
        .envs(place.environment())
        .args(["--bucket", &place.url]);
    command
}

fn doctor(world: &World, place: &Place, args: &[&str]) -> (Done, Value) {
    let args = [&["doctor", "--json"], args].concat();
    let done = Done::of(&mut command(world, place, &args));
    let report = serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {done:?}"));
    (done, report)
}

fn kinds(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .map(|found| found["finding"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn localstack_is_proven_and_the_cost_is_reported_before() {
    let (world, server) = (World::new(), Server::localstack());
    let place = server.fresh_bucket().await.below("team/pond");
    let start = ["start", "greet", "--input", "\"ana\""];
    assert_eq!(Done::of(&mut command(&world, &place, &start)).code, 0);

    let (done, report) = doctor(&world, &place, &["--bill"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(report["passed"].as_array().unwrap().len(), 12);
    assert_eq!(
        (&report["failed"], &report["executions"]),
        (&Value::Null, &1.into())
    );
    assert_eq!(kinds(&report), [""; 0]);
    assert_eq!(report["permissions_missing"].as_array().unwrap().len(), 0);
    let write = &report["latency_ms"]["write"];
    assert!(write["p50"].as_f64().unwrap() > 0.0 && write["p50"].as_f64() <= write["max"].as_f64());
    // One machine, one clock; the dates of replies show it to a fraction of a second.
    assert_eq!(report["clock"]["followed"], true);
    assert!(report["clock"]["ahead_ms"].as_i64().unwrap().abs() <= 1_000);

    let text: Vec<Value> = done
        .err
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let forewarned = text[0]["requests"].as_u64().unwrap();
    let lines = text[1]["bill"]["lines"].as_array().unwrap();
    let asked: u64 = lines
        .iter()
        .map(|line| line["requests"].as_u64().unwrap())
        .sum();
    assert!(
        asked.abs_diff(forewarned) <= forewarned / 10,
        "{asked} of {forewarned}"
    );

    // Nothing of it stays.
    let left = Done::of(&mut command(&world, &place, &["bucket", "ls", "doctor/"]));
    assert_eq!((left.code, left.out.as_str()), (0, ""));
}

#[tokio::test]
async fn versions_and_rules_that_delete_are_found_on_localstack() {
    let (world, server) = (World::new(), Server::localstack());
    let place = server.fresh_bucket().await.below("team/pond");
    server.keep_versions(&place, true).await;
    server.expire(&place, "team/").await;
    let (done, report) = doctor(&world, &place, &["--no-probes"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert_eq!(kinds(&report), ["versioning", "lifecycle"]);
    assert!(
        report["findings"][1]["why"]
            .as_str()
            .unwrap()
            .contains("\"by-age\""),
        "{report}"
    );
    assert!(
        report["notes"][0]
            .as_str()
            .unwrap()
            .contains("\"old-versions\""),
        "{report}"
    );

    // Suspended, cleared by a rule, and no rule for our prefix: nothing to do.
    server.keep_versions(&place, false).await;
    server.expire(&place, "other/").await;
    let (done, report) = doctor(&world, &place, &["--no-probes"]);
    assert_eq!((done.code, kinds(&report)), (0, vec![]), "{report}");
}
