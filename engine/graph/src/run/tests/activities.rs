//! What activations have begun, as the journal shows it.

use std::time::Duration;

use millpond::ExecutionId;
use serde_json::json;

use super::world::{Case, graph, work};
use crate::machine::Decision;
use crate::run::{Activity, ActivityStatus, Verb, activities};

fn seen(case: &Case, run: ExecutionId) -> Vec<(String, ActivityStatus, usize)> {
    let all = all(case, run);
    all.into_iter()
        .map(|one| {
            (
                format!("{} {}", one.activation, one.node),
                one.status,
                one.attempts,
            )
        })
        .collect()
}

fn all(case: &Case, run: ExecutionId) -> Vec<Activity> {
    case.world
        .block(activities(&case.world.engine, run))
        .unwrap()
}

fn row(name: &str, status: ActivityStatus, attempts: usize) -> (String, ActivityStatus, usize) {
    (name.to_owned(), status, attempts)
}

#[test]
fn activations_are_listed_with_what_they_have_begun() {
    use ActivityStatus::{Completed, Failed, Waiting};
    let mut flaky = work(json!({"fail": 1}));
    flaky["retry"] = json!({"attempts": 2, "backoff": "1m"});
    let nodes = json!({
        "flaky": flaky, "count": {"state": {"n": "1"}}, "wait-1": {"sleep": "50m"},
        "ask": {"input": {"message": "?", "schema": {"type": "boolean"}, "target": "a"}},
        "end": work(json!({"fail": 9})),
    });
    let edges = json!([
        "flaky -> count",
        "count -> ask",
        "count -> wait-1",
        "ask -> end"
    ]);
    let case = Case::new([graph("g", &["flaky"], nodes, edges)]);
    let run = case.start("g", json!({}));
    case.world.run_all();
    assert_eq!(seen(&case, run), [row("0.0 flaky", Failed, 1)]);
    let failure = all(&case, run)[0].failure.clone();
    assert_eq!(failure.as_deref(), Some("handler: broken: attempt 1"));
    case.world.skip(Duration::from_secs(61));
    let waiting = [
        row("0.0 flaky", Completed, 2),
        row("2.0 ask", Waiting, 0),
        row("2.1 wait-1", Waiting, 0),
    ];
    assert_eq!(seen(&case, run), waiting, "the state node began nothing");
    let sequence = case.snapshot(run).unwrap().interactions[0].sequence;
    case.decide(run, (sequence, 0), &Decision::Answer(json!("perhaps")));
    assert_eq!(seen(&case, run), waiting, "it is asked for again");
    case.decide(run, (sequence, 1), &Decision::Answer(json!(true)));
    case.world.skip(Duration::from_secs(7_200));
    let ended = [
        row("0.0 flaky", Completed, 2),
        row("2.0 ask", Completed, 0),
        row("2.1 wait-1", Completed, 0),
        row("3.0 end", Failed, 1),
    ];
    assert_eq!(seen(&case, run), ended);
    assert_eq!(all(&case, run)[0].failure, None);
}

#[test]
fn a_stopped_run_shows_what_it_ended() {
    use ActivityStatus::{Failed, Running, Stopped};
    let nap = graph("nap", &["x"], json!({"x": {"sleep": "30m"}}), json!([]));
    let bad = graph(
        "bad",
        &["x"],
        json!({"x": work(json!({"fail": 9}))}),
        json!([]),
    );
    let nodes = json!({
        "child": {"child": {"definition": "nap"}}, "wait": {"sleep": "20m"},
        "wrong": {"map": {"over": "['nap', 'bad']", "definition": {"cel": "item"}, "reduce": {}}},
    });
    let case = Case::new([
        nap,
        bad,
        graph("g", &["child", "wait"], nodes, json!(["wait -> wrong"])),
    ]);
    let run = case.start("g", json!({}));
    case.world.run_all();
    let open = [
        row("0.0 child", Running, 0),
        row("0.1 wait", ActivityStatus::Waiting, 0),
    ];
    assert_eq!(seen(&case, run), open);
    assert_eq!(all(&case, run)[0].children.len(), 1);
    case.control(run, "c", Verb::Cancel { fence: None });
    assert_eq!(
        seen(&case, run),
        [row("0.0 child", Stopped, 0), row("0.1 wait", Stopped, 0)]
    );

    let run = case.start("g", json!({}));
    case.world.skip(Duration::from_secs(3_600 * 2));
    let failed = &all(&case, run)[2];
    assert_eq!((failed.node.as_str(), failed.status), ("wrong", Failed));
    assert!(
        failed
            .failure
            .as_deref()
            .unwrap()
            .starts_with("action: broken"),
        "{failed:?}"
    );
    assert_eq!(failed.children.len(), 2);
}

#[test]
fn a_decision_that_fails_a_lost_attempt_is_shown_as_its_failure() {
    let mut x = work(json!({"wait": 1000}));
    x["at_most_once"] = json!(true);
    let case = Case::new([graph("g", &["x"], json!({"x": x}), json!([]))]);
    let run = case.start("g", json!({}));
    let running = case.world.engine.run(run, case.world.causes(run));
    assert!(case.world.pool.run_until_stalled(running).is_none());
    assert_eq!(seen(&case, run), [row("0.0 x", ActivityStatus::Running, 1)]);
    case.world.pool.abort_all();
    case.world.skip(Duration::from_secs(60));
    assert_eq!(seen(&case, run), [row("0.0 x", ActivityStatus::Waiting, 1)]);
    let sequence = case.snapshot(run).unwrap().interactions[0].sequence;
    let message = "it is gone".to_owned();
    case.decide(run, (sequence, 0), &Decision::Fail { message });
    let failed = &all(&case, run)[0];
    assert_eq!(failed.failure.as_deref(), Some("it is gone"));
    assert_eq!(failed.status, ActivityStatus::Failed);
}
