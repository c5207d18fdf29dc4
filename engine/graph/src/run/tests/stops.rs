//! Joins, losers, retries, deadlines, failures and what they drain.

use std::time::Duration;

use serde_json::{Value, json};

use super::world::{Case, graph, work};

fn node(with: Value, fields: Value) -> Value {
    let mut node = work(with);
    for (name, value) in fields.as_object().expect("an object") {
        node[name] = value.clone();
    }
    node
}

#[test]
fn s6_a_join_all_waits_over_paths_of_different_length() {
    let nodes = json!({
        "a": work(json!({})), "b": work(json!({})), "c": work(json!({})),
        "all": {"join_all": {}}, "z": work(json!({"give": "size(state.log)"})),
    });
    let edges = json!(["a -> all", "b -> c", "c -> all", "all -> z"]);
    let case = Case::new([graph("g", &["a", "b"], nodes, edges)]);
    assert_eq!(case.run("g").unwrap()["log"], json!(["a", "b", "c", "z"]));
    assert_eq!(
        case.calls
            .begun()
            .iter()
            .filter(|node| *node == "z")
            .count(),
        1
    );
}

#[test]
fn s7_losers_of_a_join_first_never_begin() {
    let nodes = json!({
        "a": work(json!({})), "b": work(json!({})), "c": work(json!({})), "d": work(json!({})),
        "first": {"join_first": {}}, "z": work(json!({})),
    });
    let edges = json!(["a -> first", "b -> c", "c -> d", "d -> first", "first -> z"]);
    let case = Case::new([graph("g", &["a", "b"], nodes, edges)]);
    assert_eq!(case.run("g").unwrap()["log"], json!(["a", "b", "z"]));
    assert_eq!(case.calls.begun(), ["a", "b", "z"]);
}

#[test]
fn f1_after_a_failure_nothing_begins_and_steps_run_to_their_end() {
    let retry = json!({"retry": {"attempts": 5, "backoff": "1m"}});
    let nodes = json!({
        "a": work(json!({"wait": 1000, "fail": 9})),
        "long": work(json!({"wait": 5000})),
        "waits": node(json!({"fail": 9}), retry),
        "nap": {"sleep": "30m"},
        "ask": {"input": {"message": "?", "target": "a"}},
        "next": work(json!({})),
    });
    let edges = json!(["long -> next"]);
    let case = Case::new([graph(
        "g",
        &["a", "long", "waits", "nap", "ask"],
        nodes,
        edges,
    )]);
    let run = case.start("g", json!({}));
    case.world.skip(Duration::from_secs(8));
    let failed = case.world.result::<Value>(run).unwrap_err();
    assert_eq!(failed, "action: broken: attempt 1: node=a, ordinal=0");
    assert_eq!(
        case.calls.ended(),
        ["waits", "a", "long"],
        "no further attempt, no further node"
    );
}

#[test]
fn f1_what_fails_without_waiting_fails_before_anything_begins() {
    let nodes = json!({"a": work(json!({})), "x": {"state": {"n": "[][0]"}}});
    let case = Case::new([graph("g", &["a", "x"], nodes, json!([]))]);
    let failed = case.run("g").unwrap_err();
    assert!(
        failed.starts_with("evaluation: ") && failed.ends_with(": node=x, ordinal=1"),
        "{failed}"
    );
    assert!(case.calls.begun().is_empty());
}

#[test]
fn f2_each_category_that_a_run_can_reach_names_its_node() {
    let instant = json!({"sleep": {"until": "'soon'"}});
    let sums = json!({"state": {"n": "'text'"}});
    let reached = [
        (instant, "evaluation", ": node=x, ordinal=0"),
        (sums, "evaluation", ": node=x"),
        (work(json!({"fail": 1})), "action", ": node=x, ordinal=0"),
        (
            json!({"action": "panic", "run": "worker"}),
            "execution",
            ": node=x, ordinal=0",
        ),
        (
            node(json!({"wait": 5000}), json!({"deadline": "1s"})),
            "timeout",
            ": node=x, ordinal=0",
        ),
        (
            json!({"child": {"definition": {"cel": "'none'"}}}),
            "child",
            ": node=x, ordinal=0",
        ),
    ];
    for (node, category, end) in reached {
        let case = Case::new([graph("g", &["x"], json!({"x": node}), json!([]))]);
        let failed = case.run("g").unwrap_err();
        assert!(
            failed.starts_with(&format!("{category}: ")) && failed.ends_with(end),
            "{failed}"
        );
    }
    // A condition and a barrier have no ordinal.
    let nodes = json!({"x": work(json!({})), "y": work(json!({}))});
    let edges = json!([{"from": "x", "to": "y", "if": "state.a"}]);
    let failed = Case::new([graph("g", &["x"], nodes, edges)])
        .run("g")
        .unwrap_err();
    assert!(
        failed.starts_with("evaluation: ") && failed.ends_with(": node=x"),
        "{failed}"
    );
    let mut value = graph("g", &["x"], json!({"x": work(json!({}))}), json!([]));
    value["state"]["log"]["schema"] = json!({"maxItems": 0});
    let failed = Case::new([value]).run("g").unwrap_err();
    assert!(
        failed.starts_with("state: ") && failed.ends_with(": node=x"),
        "{failed}"
    );
    // A loop without work exceeds the limit of transitions.
    let nodes = json!({"x": {"state": {"n": "0"}}});
    let case = Case::limited([graph("g", &["x"], nodes, json!(["x -> x"]))], |limits| {
        limits.transitions = 100;
    });
    let failed = case.run("g").unwrap_err();
    assert!(
        failed.starts_with("limit: the limit of transitions is exceeded"),
        "{failed}"
    );
}

#[test]
fn f3_a_deadline_ends_each_kind_of_wait() {
    let kinds = [
        json!({"sleep": "2h", "deadline": "10s"}),
        json!({"input": {"message": "?", "target": "a"}, "deadline": "10s"}),
        json!({"child": {"definition": "slow"}, "deadline": "10s"}),
    ];
    let slow = graph(
        "slow",
        &["nap"],
        json!({"nap": {"sleep": "30m"}}),
        json!([]),
    );
    for kind in kinds {
        let case = Case::new([
            slow.clone(),
            graph("g", &["x"], json!({"x": kind}), json!([])),
        ]);
        let run = case.start("g", json!({}));
        case.world.skip(Duration::from_secs(9));
        assert!(!case.world.status(run).is_terminal());
        case.world.skip(Duration::from_secs(2));
        let failed = case.world.result::<Value>(run).unwrap_err();
        assert_eq!(
            failed,
            "timeout: the deadline passed: deadline=10s: node=x, ordinal=0"
        );
    }
}

#[test]
fn f3_a_deadline_counts_over_all_attempts() {
    let long = node(json!({"wait": 60_000}), json!({"deadline": "10s"}));
    let case = Case::new([graph("g", &["x"], json!({"x": long}), json!([]))]);
    assert!(case.run("g").unwrap_err().starts_with("timeout: "));
    assert!(case.calls.ended().is_empty(), "the attempt was cancelled");
    // The wait for the fourth attempt would end after the deadline.
    let retry = json!({"attempts": 99, "backoff": "4s", "factor": 1});
    let fails = node(
        json!({"fail": 9}),
        json!({"deadline": "10s", "retry": retry}),
    );
    let case = Case::new([graph("g", &["x"], json!({"x": fails}), json!([]))]);
    let failed = case.run("g").unwrap_err();
    assert_eq!(failed, "action: broken: attempt 3: node=x, ordinal=0");
}

#[test]
fn s9_a_sleep_until_a_past_instant_ends_now() {
    let nodes = json!({
        "past": {"sleep": {"until": "'2001-01-01T00:00:00Z'"}},
        "later": {"sleep": {"until": "'2026-01-01T00:30:00Z'"}},
    });
    let case = Case::new([graph("g", &["past"], nodes, json!(["past -> later"]))]);
    let run = case.start("g", json!({}));
    case.world.skip(Duration::from_secs(29 * 60));
    assert!(!case.world.status(run).is_terminal());
    case.world.skip(Duration::from_secs(2 * 60));
    assert!(case.world.result::<Value>(run).is_ok());
}

#[test]
fn f4_attempts_follow_the_policy_and_a_terminal_failure_ends_at_once() {
    let retry = json!({"retry": {"attempts": 3, "backoff": "10s", "factor": 3, "cap": "20s"}});
    let value = graph(
        "g",
        &["x"],
        json!({"x": node(json!({"fail": 2}), retry.clone())}),
        json!([]),
    );
    let case = Case::new([value]);
    let run = case.start("g", json!({}));
    let begun = |seconds: u64| {
        case.world.skip(Duration::from_secs(seconds));
        case.calls.begun().len()
    };
    assert_eq!(
        [begun(0), begun(9), begun(2), begun(18), begun(2)],
        [1, 1, 2, 2, 3]
    );
    assert_eq!(
        case.world.result::<Value>(run).unwrap()["log"],
        json!(["x"])
    );

    let last = node(json!({"fail": 9}), retry.clone());
    let failed = Case::new([graph("g", &["x"], json!({"x": last}), json!([]))]).run("g");
    assert_eq!(
        failed.unwrap_err(),
        "action: broken: attempt 3: node=x, ordinal=0"
    );

    let hopeless = node(json!({"fail": 9, "terminal": true}), retry);
    let case = Case::new([graph("g", &["x"], json!({"x": hopeless}), json!([]))]);
    assert_eq!(
        case.run("g").unwrap_err(),
        "action: broken: attempt 1: node=x, ordinal=0"
    );
    assert_eq!(case.calls.begun().len(), 1);
}

#[test]
fn a_loop_of_actions_has_one_sleep_for_its_deadlines() {
    let nodes = json!({"x": work(json!({})), "c": {"state": {"n": "1"}}});
    let edges = json!(["x -> c", {"from": "c", "to": "x", "if": "state.n < 50"}]);
    let case = Case::new([graph("g", &["x"], nodes, edges)]);
    let run = case.start("g", json!({}));
    case.world.run_all();
    assert_eq!(case.world.result::<Value>(run).unwrap()["n"], 50);
    let root = case.frames(run);
    let sleeps = root
        .frames
        .iter()
        .filter(|frame| frame.fid.name() == "sleep");
    assert_eq!(sleeps.count(), 1);
}
