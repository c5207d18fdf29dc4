use serde_json::{Value, json};

use super::{object, path_of, shape, shape_within};
use crate::category::Category;
use crate::definition::{NodeId, StateKey};
use crate::limits::Limits;
use crate::state::{Contribution, Refusal, Shape, State, StateError};

fn give(node: &str, key: &str, value: Value) -> Contribution {
    let node = NodeId::parse(node).expect("a node id");
    Contribution {
        node,
        key: StateKey::parse(key).expect("a state key"),
        value,
    }
}

fn start(shape: &Shape, input: &Value) -> Result<State, StateError> {
    shape.start(object(input))
}

fn json_of(state: &State) -> Value {
    Value::Object(crate::state::to_object(state))
}

fn everything() -> Shape {
    shape(
        json!({
            "question": {"schema": {"type": "string"}}, "drafts": {"reduce": "append"}, "all": {"reduce": "concat"},
            "tags": {"reduce": "set", "initial": ["b", "a", "b"]}, "extra": {"reduce": "merge"},
            "rounds": {"reduce": "sum"}, "best": {"reduce": "max"}, "worst": {"reduce": "min"},
            "nothing": {"initial": null}
        }),
        Some(json!({"required": ["question"], "optional": ["tags"]})),
    )
}

#[test]
fn keys_begin_with_what_their_reducers_begin_with() {
    let state = start(&everything(), &json!({"question": "?"})).expect("a state");
    let expected = json!({"question": "?", "drafts": [], "all": [], "tags": ["a", "b"], "extra": {}, "rounds": 0,
        "nothing": null});
    assert_eq!(json_of(&state), expected);
}

#[test]
fn s4_a_start_gives_the_required_keys_and_no_others() {
    let shape = everything();
    let missing = start(&shape, &json!({"tags": []})).expect_err("refused");
    assert!(matches!(missing, StateError::MissingInput { key } if key.as_str() == "question"));
    let other = start(&shape, &json!({"question": "?", "rounds": 3})).expect_err("refused");
    assert!(matches!(other, StateError::NotInput { key } if key.as_str() == "rounds"));
    let unknown = start(&shape, &json!({"question": "?", "a b": 3})).expect_err("refused");
    assert!(matches!(unknown, StateError::UnknownKey { key } if key == "a b"));
    let state = start(&shape, &json!({"question": "?", "tags": ["z", "y", "z"]})).expect("a state");
    assert_eq!(state.get("tags"), Some(&json!(["y", "z"])));
}

#[test]
fn without_input_lists_every_key_is_optional_and_an_absent_list_is_empty() {
    let open = shape(json!({"a": {}, "b": {}}), None);
    start(&open, &json!({})).expect("nothing is required");
    start(&open, &json!({"a": 1, "b": 2})).expect("everything is optional");
    let closed = shape(json!({"a": {}, "b": {}}), Some(json!({"required": ["a"]})));
    start(&closed, &json!({"a": 1, "b": 2})).expect_err("no key is optional");
}

#[test]
fn s4_the_first_violation_is_named_by_its_path() {
    let schema = json!({"type": "object", "properties": {"lines": {"type": "array", "items": {"type": "integer"}},
        "~a/b": {"type": "string"}}, "additionalProperties": false});
    let shape = shape(json!({"order": {"schema": schema}}), None);
    for (value, path) in [
        (json!(1), "/order"),
        (json!({"lines": [1, "2", "3"]}), "/order/lines/1"),
        (json!({"~a/b": 1}), "/order/~0a~1b"),
        (json!({"more": 1}), "/order"),
    ] {
        let error = start(&shape, &json!({"order": value})).expect_err("refused");
        assert_eq!(
            (path_of(&error), error.category()),
            (path, Category::State),
            "{error}"
        );
    }
}

#[test]
fn s4_an_initial_value_and_an_override_are_validated_too() {
    let shape = shape(
        json!({"n": {"schema": {"type": "integer"}, "initial": "x"}, "m": {}}),
        None,
    );
    assert_eq!(
        path_of(&start(&shape, &json!({})).expect_err("refused")),
        "/n"
    );
    let state = start(&shape, &json!({"n": 1})).expect("a state");
    let error = shape
        .overlay(&state, object(&json!({"n": "y"})))
        .expect_err("refused");
    assert_eq!(path_of(&error), "/n");
    let error = shape
        .overlay(&state, object(&json!({"k": 1})))
        .expect_err("refused");
    assert!(matches!(error, StateError::UnknownKey { key } if key == "k"));
    let state = shape
        .overlay(&state, object(&json!({"m": 5})))
        .expect("a state");
    assert_eq!(json_of(&state), json!({"n": 1, "m": 5}));
}

#[test]
fn a_state_of_another_definition_is_completed_or_refused() {
    let old = shape(json!({"a": {}, "b": {}}), None);
    let new = shape(json!({"a": {}, "c": {"initial": 7}}), None);
    let state = start(&old, &json!({"a": 1})).expect("a state");
    assert_eq!(
        json_of(&new.overlay(&state, object(&json!({}))).expect("a state")),
        json!({"a": 1, "c": 7})
    );
    let more = start(&old, &json!({"a": 1, "b": 2})).expect("a state");
    new.overlay(&more, object(&json!({})))
        .expect_err("the new definition has no key b");
    // A pipeline leaves such keys out.
    let handed = new
        .hand_on(&more, object(&json!({"c": 8})))
        .expect("a state");
    assert_eq!(json_of(&handed), json!({"a": 1, "c": 8}));
    new.hand_on(&more, object(&json!({"b": 8})))
        .expect_err("an input key must exist");
}

#[test]
fn contributions_are_applied_in_order_key_by_key() {
    let shape = everything();
    let state = start(&shape, &json!({"question": "?"})).expect("a state");
    let new = shape.apply(
        &state,
        vec![
            give("a", "drafts", json!("one")),
            give("a", "question", json!("a")),
            give("b", "drafts", json!("two")),
            give("b", "rounds", json!(2)),
            give("c", "question", json!("c")),
            give("c", "rounds", json!(3)),
            give("c", "tags", json!(["0"])),
        ],
    );
    let expected = json!({"question": "c", "drafts": ["one", "two"], "all": [], "tags": ["0", "a", "b"], "extra": {},
        "rounds": 5, "nothing": null});
    assert_eq!(json_of(&new.expect("a state")), expected);
    assert_eq!(shape.apply(&state, Vec::new()), Ok(state));
}

#[test]
fn a_refused_barrier_names_the_last_node_that_contributed_to_the_key() {
    let shape = shape(
        json!({"n": {"reduce": "sum", "schema": {"maximum": 10}}, "m": {}}),
        None,
    );
    let state = start(&shape, &json!({})).expect("a state");
    let apply = |given| {
        shape
            .apply(&state, given)
            .map_err(|Refusal { node, cause }| (node.to_string(), cause.category()))
    };
    let refused = |node: &str, category| Err((node.to_owned(), category));
    let wrong = vec![
        give("a", "n", json!("x")),
        give("b", "n", json!(1)),
        give("c", "m", json!(1)),
    ];
    assert_eq!(apply(wrong), refused("b", Category::Evaluation));
    let high = vec![
        give("a", "n", json!(9)),
        give("b", "n", json!(9)),
        give("c", "m", json!(1)),
    ];
    assert_eq!(apply(high), refused("b", Category::State));
    let unknown = vec![give("a", "k", json!(9)), give("b", "m", json!(9))];
    assert_eq!(apply(unknown), refused("a", Category::Evaluation));
    // The state stays as it was: it is computed anew.
    assert_eq!(json_of(&state), json!({"n": 0}));
}

#[test]
fn l1_a_value_and_a_state_over_their_limits_are_refused_by_name() {
    let limits = Limits {
        value: 100,
        state: 150,
        ..Limits::default()
    };
    let shape = shape_within(json!({"a": {}, "b": {}}), None, &limits);
    let text = |length: usize| json!("x".repeat(length));
    // Two quotes belong to the size of a text.
    start(&shape, &json!({"a": text(98)})).expect("it fits exactly");
    let name = |error: StateError| match error {
        StateError::Limit { source, .. } => (source.name, source.most),
        other => panic!("not a limit: {other}"),
    };
    assert_eq!(
        name(start(&shape, &json!({"a": text(99)})).expect_err("refused")),
        ("value", 100)
    );
    let both = json!({"a": text(90), "b": text(90)});
    assert_eq!(
        name(start(&shape, &both).expect_err("refused")),
        ("state", 150)
    );
    let state = start(&shape, &json!({"a": text(90)})).expect("a state");
    let refusal = shape
        .apply(&state, vec![give("n", "b", text(90))])
        .expect_err("refused");
    assert_eq!(
        (refusal.cause.category(), refusal.node.as_str()),
        (Category::Limit, "n")
    );
    assert_eq!(name(refusal.cause), ("state", 150));
}

#[test]
fn the_size_of_a_state_is_the_length_of_its_canonical_form() {
    for values in [
        json!({}),
        json!({"a": 1}),
        json!({"a": "é\n\u{1}", "b": [1, 2.5, {"k": null}]}),
    ] {
        let shape = shape(json!({"a": {}, "b": {}}), None);
        let state = start(&shape, &values).expect("a state");
        assert_eq!(
            crate::state::size_of_state(&state),
            crate::definition::canonical(&json_of(&state)).len()
        );
    }
}

#[test]
fn a_schema_that_refers_outside_or_has_another_dialect_is_refused() {
    for (schema, path) in [
        (json!({"$ref": "https://example.com/schema.json"}), "/$ref"),
        (json!({"$ref": "file:///etc/passwd"}), "/$ref"),
        (json!({"$ref": "#/$defs/none"}), "/$ref"),
        (json!({"minimum": "x"}), "/minimum"),
        (json!({"type": "nothing"}), "/type"),
        (
            json!({"$schema": "http://json-schema.org/draft-07/schema#"}),
            "/$schema",
        ),
        (json!({"pattern": "(a)\\1"}), "/pattern"),
    ] {
        let compiled = crate::state::Schema::compile(
            &crate::definition::Schema::new(schema.clone()).expect("an object"),
        );
        assert_eq!(
            compiled.expect_err(&schema.to_string()).path,
            path,
            "{schema}"
        );
    }
}

#[test]
fn l1_a_value_that_is_nested_too_deeply_is_refused_by_name() {
    let shape = shape(json!({"a": {}}), None);
    let nested = |levels: usize| {
        (0..levels).fold(json!(1), |inner, level| {
            if level % 2 == 0 {
                json!([0, inner])
            } else {
                json!({"k": inner})
            }
        })
    };
    start(&shape, &json!({"a": nested(64)})).expect("64 levels fit");
    for levels in [65, 300] {
        let error = start(&shape, &json!({"a": nested(levels)})).expect_err("refused");
        let StateError::Limit { source, .. } = error else {
            panic!("not a limit: {error}")
        };
        assert_eq!(
            (source.name, source.found, source.most),
            ("nesting", 65, 64)
        );
    }
}
