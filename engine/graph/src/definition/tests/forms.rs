use serde_json::{Value, json};

use crate::definition::{Definition, Edge, Kind, Node, Span, When};

fn node(value: Value) -> Result<Node, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

fn edge(value: Value) -> Result<Edge, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// A node of every kind with every field, in the written form that is also the canonical one.
pub(crate) fn every_kind() -> Vec<Value> {
    vec![
        json!({"action": "bank.pay", "run": "worker", "at_most_once": true, "reconcile": "bank.find",
            "inputs": ["pin"], "with": {"sum": "1"}, "writes": {"receipt": "a"}, "queue": "slow", "doc": "Pays.",
            "retry": {"attempts": 3, "backoff": "2s", "factor": 3.5, "cap": "10m", "within": "2h"},
            "deadline": "3d"}),
        json!({"action": "mail.send", "target": "a"}),
        json!({"agent": "writer", "prompt": "Answer: {{ state.a }}", "text": "a", "stream": true,
            "structured": {"key": "b", "schema": {"type": "object"}},
            "retry": {"attempts": 2, "backoff": "1s", "factor": 2.0, "cap": "1m"}}),
        json!({"agent": "writer", "messages": [{"role": "system", "text": "x"}, {"role": "user", "text": "y"}]}),
        json!({"state": {"a": "1", "b": "state.a + 1"}}),
        json!({"input": {"message": "Good?", "schema": true, "target": "a"}}),
        json!({"sleep": "30m"}),
        json!({"sleep": {"until": "state.a"}}),
        json!({"child": {"definition": "shop.order", "revision": "ab".repeat(32), "input": {"a": "1"},
            "inputs": ["pin"], "reduce": {"lines.first": "b"}, "history": "delete_after_reduction",
            "init": {"from": "state.a", "checkpoint": {"action": 3}, "position": "at_saved",
                "overrides": {"n": "1"}, "fallback": {"n": "0"}}}}),
        json!({"child": {"definition": {"cel": "state.kind"}, "init": {"from": "'k'", "checkpoint": {"sequence": 9}}}}),
        json!({"map": {"over": "state.a", "definition": "shop.item", "input": {"sku": "item"},
            "reduce": {"price": "b"}, "limit": 16}}),
        json!({"map": {"tasks": "state.a", "reduce": {"price": "b"}, "limit": 8}}),
        json!({"pipeline": {"children": [{"definition": "cut", "history": "delete_after_reduction"},
            {"definition": "sew", "input": {"a": "1"}}], "reduce": {"done": "b"}}}),
        json!({"join_all": {}}),
        json!({"join_first": {}, "deadline": "2d"}),
    ]
}

#[test]
fn every_kind_of_node_is_written_as_it_was_read() {
    let mut names = Vec::new();
    for value in every_kind() {
        let node = node(value.clone()).expect("the node is valid");
        names.push(node.kind.name());
        assert_eq!(serde_json::to_value(&node).expect("a node is JSON"), value);
    }
    names.dedup();
    assert_eq!(names, Kind::NAMES);
}

#[test]
fn a_node_has_exactly_one_kind() {
    for value in [
        json!({}),
        json!({"doc": "none"}),
        json!({"action": "a", "agent": "b"}),
        json!({"sleep": "1s", "state": {}}),
    ] {
        let error = node(value).expect_err("the node is refused");
        assert!(error.contains("exactly one of: action, agent"), "{error}");
    }
}

#[test]
fn unknown_fields_and_nulls_are_refused() {
    for value in [
        json!({"action": "a", "traget": "x"}),
        json!({"action": "a", "target": null}),
        json!({"action": "a", "retry": null}),
        json!({"action": "a", "deadline": null}),
        json!({"sleep": "1s", "retry": {}}),
        json!({"sleep": {"until": "x", "zone": "UTC"}}),
        json!({"join_all": {"limit": 2}}),
        json!({"join_all": null}),
        json!({"map": {"over": "x", "tasks": "y"}}),
        json!({"child": {"definition": {"cel": "x", "or": "y"}}}),
        json!({"child": {"definition": "x", "history": "delete"}}),
        json!({"pipeline": {"children": []}}),
    ] {
        node(value.clone()).expect_err(&value.to_string());
    }
}

#[test]
fn a_short_edge_is_an_edge_that_is_always_taken() {
    let short = edge(json!("a ->  b")).expect("a short edge");
    assert_eq!(
        short,
        edge(json!({"from": "a", "to": "b"})).expect("a long edge")
    );
    assert_eq!(short.when, When::Always);
    assert_eq!(
        serde_json::to_value(&short).expect("JSON"),
        json!({"from": "a", "to": "b"})
    );
}

#[test]
fn an_edge_has_at_most_one_of_if_and_else() {
    let both = json!({"from": "a", "to": "b", "if": "true", "else": true});
    assert!(edge(both).expect_err("refused").contains("at most one"));
    for value in [
        json!({"from": "a", "to": "b", "else": false}),
        json!({"from": "a", "to": "b", "if": null}),
        json!("a -> b -> c"),
        json!("a - b"),
        json!("a ->"),
        json!({"from": "a"}),
    ] {
        edge(value.clone()).expect_err(&value.to_string());
    }
}

#[test]
fn spans_of_one_length_are_one_span() {
    for (text, millis, canonical) in [
        ("60s", 60_000, "1m"),
        ("1500ms", 1_500, "1500ms"),
        ("24h", 86_400_000, "1d"),
        ("0m", 0, "0s"),
        ("9999999999d", 863_999_999_913_600_000, "9999999999d"),
    ] {
        let span = Span::parse(text).expect(text);
        assert_eq!(
            (span.as_millis(), span.to_string().as_str()),
            (millis, canonical)
        );
    }
    for text in [
        "",
        "5",
        "m",
        "1.5h",
        "-1s",
        "1h30m",
        "1 h",
        "10000000000s",
        "1w",
    ] {
        Span::parse(text).expect_err(text);
    }
}

#[test]
fn a_whole_number_may_be_written_with_a_fraction_of_zero() {
    let read = |attempts: Value| node(json!({"action": "a", "retry": {"attempts": attempts}}));
    assert_eq!(
        read(json!(3.0))
            .expect("3.0 is whole")
            .retry()
            .attempts
            .get(),
        3
    );
    for value in [
        json!(0),
        json!(1001),
        json!(1.5),
        json!(-1),
        json!("3"),
        json!(1e300),
    ] {
        read(value.clone()).expect_err(&value.to_string());
    }
}

#[test]
fn waits_grow_by_the_factor_up_to_the_cap() {
    let node = node(
        json!({"action": "a", "retry": {"attempts": 9, "backoff": "1s", "factor": 3, "cap": "10s"}}),
    );
    let retry = node.expect("valid").retry();
    let waits: Vec<_> = (1..=5)
        .map(|number| retry.wait_after(number).to_string())
        .collect();
    assert_eq!(waits, ["1s", "3s", "9s", "10s", "10s"]);
    assert_eq!(retry.wait_after(u64::MAX).to_string(), "10s");
}

#[test]
fn a_definition_needs_an_entry_and_nodes() {
    let whole = json!({"graph": 1, "id": "a", "entry": ["n"], "nodes": {"n": {"join_all": {}}}});
    serde_json::from_value::<Definition>(whole.clone()).expect("the definition is complete");
    for (field, value) in [
        ("graph", json!(2)),
        ("id", json!("a b")),
        ("entry", json!([])),
        ("entry", json!(["n", "n"])),
        ("nodes", json!({"a.b": {"join_all": {}}})),
        ("state", json!({"1a": {}})),
        ("input", json!(null)),
    ] {
        let mut broken = whole.clone();
        broken[field] = value;
        serde_json::from_value::<Definition>(broken).expect_err(field);
    }
    for field in ["graph", "id", "entry", "nodes"] {
        let mut broken = whole.clone();
        broken.as_object_mut().expect("an object").remove(field);
        serde_json::from_value::<Definition>(broken).expect_err(field);
    }
}
