use serde_json::{Value, json};

use super::{n, pairs, program, program_within, state};
use crate::category::Category;
use crate::limits::Limits;
use crate::program::{Begin, CompileError, NodeError};

fn begin(node: Value, values: Value) -> Result<Begin, NodeError> {
    program(node)
        .expect("it compiles")
        .begin(&n(), &state(values))
}

/// What a node asks for, as JSON.
fn asks(node: Value, values: Value) -> Value {
    serde_json::to_value(begin(node, values).expect("it begins")).expect("JSON")
}

#[test]
fn each_kind_computes_what_it_asks_for_on_the_state() {
    let values = json!({"a": 1, "c": "two"});
    for (node, expected) in [
        (
            json!({"action": "x", "with": {"f": "state.a + 1", "g": "state.c"}}),
            json!({"action": {"f": 2, "g": "two"}}),
        ),
        (
            json!({"agent": "w", "prompt": "Q: {{ state.c }}"}),
            json!({"agent": [{"role": "user", "text": "Q: two"}]}),
        ),
        (
            json!({"agent": "w", "messages": [{"role": "system", "text": "s"}, {"role": "user", "text": "{{state.a}}"}]}),
            json!({"agent": [{"role": "system", "text": "s"}, {"role": "user", "text": "1"}]}),
        ),
        (
            json!({"input": {"message": "{{ state.c }}?", "target": "a"}}),
            json!({"input": "two?"}),
        ),
        (json!({"sleep": "90s"}), json!({"sleep_for": "90s"})),
        (
            json!({"sleep": {"until": "'2026-01-31T10:00:00+01:00'"}}),
            json!({"sleep_until": "2026-01-31T09:00:00Z"}),
        ),
        (json!({"join_first": {}}), json!({"decided": []})),
        (
            json!({"child": {"definition": {"cel": "'x.' + state.c"}, "input": {"k": "state.a"}, "inputs": ["pin"],
            "init": {"from": "state.c", "checkpoint": {"sequence": 4}, "overrides": {"o": "state.a"}, "fallback": {}}}}),
            json!({"children": {"limit": 1, "tasks": [{"workflow": "x.two", "key": "0", "input": {"k": 1}, "inputs": ["pin"],
                "init": {"from": "two", "checkpoint": {"sequence": 4}, "overrides": {"o": 1}, "fallback": {}}}]}}),
        ),
        (
            json!({"map": {"over": "[state.a, 5]", "definition": "x", "input": {"k": "item * 2", "i": "index"}, "limit": 3,
            "history": "delete_after_reduction"}}),
            json!({"children": {"limit": 3, "tasks": [
                {"workflow": "x", "key": "0", "input": {"k": 2, "i": 0}, "history": "delete_after_reduction"},
                {"workflow": "x", "key": "1", "input": {"k": 10, "i": 1}, "history": "delete_after_reduction"}]}}),
        ),
        (
            json!({"map": {"tasks": "[{'workflow': 'x', 'key': 'k-1', 'input': {'a': state.a}}]"}}),
            json!({"children": {"limit": 64, "tasks": [{"workflow": "x", "key": "k-1", "input": {"a": 1}}]}}),
        ),
        (
            json!({"map": {"over": "[]", "definition": "x"}}),
            json!({"decided": []}),
        ),
        (json!({"map": {"tasks": "[]"}}), json!({"decided": []})),
        (
            json!({"pipeline": {"children": [{"definition": "cut"}, {"definition": "sew", "input": {"k": "state.c"}}]}}),
            json!({"pipeline": [{"workflow": "cut", "key": "0", "input": {}}, {"workflow": "sew", "key": "1", "input": {"k": "two"}}]}),
        ),
    ] {
        assert_eq!(asks(node.clone(), values.clone()), expected, "{node}");
    }
}

#[test]
fn s9_a_state_node_is_decided_at_once_on_the_state_before_it() {
    let begun = begin(
        json!({"state": {"a": "state.a + 1", "d": "state.a"}}),
        json!({"a": 1}),
    )
    .expect("it begins");
    let Begin::Decided(contributions) = begun else {
        panic!("{begun:?}")
    };
    assert_eq!(pairs(&contributions), json!([["a", 2], ["d", 1]]));
}

#[test]
fn what_a_node_asks_for_survives_its_way_through_json() {
    let begun = begin(
        json!({"map": {"over": "[1]", "definition": "x", "init": {"from": "'r'"}}}),
        json!({}),
    )
    .expect("it begins");
    let text = serde_json::to_string(&begun).expect("JSON");
    assert_eq!(
        serde_json::from_str::<Begin>(&text).expect("the same"),
        begun
    );
}

#[test]
fn a_failure_in_an_expression_of_a_node_is_of_category_evaluation() {
    for node in [
        json!({"action": "x", "with": {"f": "state.b"}}),
        json!({"agent": "w", "prompt": "{{ state.b }}"}),
        json!({"state": {"a": "state.b"}}),
        json!({"input": {"message": "{{ state.b }}", "target": "a"}}),
        json!({"sleep": {"until": "1"}}),
        json!({"sleep": {"until": "'soon'"}}),
        json!({"child": {"definition": {"cel": "'a b'"}}}),
        json!({"child": {"definition": {"cel": "1"}}}),
        json!({"child": {"definition": "x", "init": {"from": "1"}}}),
        json!({"map": {"over": "1", "definition": "x"}}),
        json!({"map": {"over": "[1]", "definition": "x", "input": {"k": "item.x"}}}),
        json!({"map": {"tasks": "[1]"}}),
        json!({"map": {"tasks": "[{'workflow': 'x', 'key': 'a', 'input': {}, 'more': 1}]"}}),
        json!({"map": {"tasks": "[{'workflow': 'x', 'key': 'a b', 'input': {}}]"}}),
        json!({"map": {"tasks": "[{'workflow': 'x', 'key': 'a', 'input': []}]"}}),
        json!({"map": {"tasks": "[['x', 'a', {}]]"}}),
        json!({"map": {"tasks": "[{'workflow': 'x', 'key': 'a', 'input': {}}, {'workflow': 'y', 'key': 'a', 'input': {}}]"}}),
    ] {
        let error = begin(node.clone(), json!({"a": 1})).expect_err(&node.to_string());
        assert_eq!(error.category(), Category::Evaluation, "{node}: {error}");
    }
}

#[test]
fn l1_values_messages_and_tasks_over_their_limits_are_of_category_limit() {
    let limits = Limits {
        value: 40,
        message: 10,
        tasks: 2,
        inputs: 50,
        ..Limits::default()
    };
    for (node, name) in [
        (json!({"action": "x", "with": {"f": "state.c"}}), "value"),
        (json!({"state": {"a": "state.c"}}), "value"),
        (json!({"agent": "w", "prompt": "{{ state.c }}"}), "value"),
        (
            json!({"input": {"message": "12345678901", "target": "a"}}),
            "message",
        ),
        (
            json!({"map": {"over": "[1, 2, 3]", "definition": "x"}}),
            "tasks",
        ),
        (
            json!({"map": {"over": "[1, 2]", "definition": "x", "input": {"k": "'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'"}}}),
            "inputs",
        ),
        (json!({"map": {"tasks": "[{}, {}, {}]"}}), "tasks"),
        (
            json!({"map": {"tasks": "[{'workflow': 'x', 'key': 'a', 'input': {'k': state.c}}]"}}),
            "value",
        ),
    ] {
        let program = program_within(node.clone(), &limits).expect("it compiles");
        let error = program
            .begin(&n(), &state(json!({"c": "x".repeat(45)})))
            .expect_err(&node.to_string());
        assert_eq!(error.category(), Category::Limit, "{node}");
        assert!(
            error
                .to_string()
                .contains(&format!("the limit of {name} is exceeded")),
            "{node}: {error}"
        );
    }
}

#[test]
fn conditions_are_evaluated_by_the_index_of_their_edge() {
    let program = program(json!({"action": "x"})).expect("it compiles");
    let values = state(json!({"a": 1}));
    assert_eq!(
        program.condition(0, &values, &json!({"ok": true})),
        Ok(true)
    );
    assert_eq!(
        program.condition(0, &values, &json!({"ok": false})),
        Ok(false)
    );
    assert_eq!(program.condition(1, &values, &json!({})), Ok(true));
    let error = program
        .condition(0, &values, &json!({}))
        .expect_err("the result has no such field");
    assert_eq!(error.category(), Category::Evaluation);
}

#[test]
fn what_does_not_compile_is_named() {
    for node in [
        json!({"state": {"a": "1 +"}}),
        json!({"agent": "w", "prompt": "{{ 1"}),
        json!({"input": {"message": "m", "schema": {"type": "x"}, "target": "a"}}),
        json!({"child": {"definition": "x", "reduce": {"a..b": "a"}}}),
    ] {
        let error = program(node.clone()).expect_err(&node.to_string());
        assert!(
            matches!(&error, CompileError::Node { node, .. } if node.as_str() == "n"),
            "{error}"
        );
    }
}

#[test]
fn h2_a_large_key_is_not_converted_again_for_each_element() {
    // 20,000 elements that each read a list of 20,000 elements: 400 million conversions otherwise.
    let list: Vec<_> = (0..20_000).collect();
    let node = json!({"map": {"over": "state.a", "definition": "x", "input": {"k": "state.a[index] + item"}}});
    let Begin::Children { tasks, .. } = begin(node, json!({"a": list})).expect("it begins") else {
        panic!("children")
    };
    assert_eq!(
        (tasks.len(), &tasks[19_999].input["k"]),
        (20_000, &json!(39_998))
    );
}

#[test]
fn l1_a_loop_that_wraps_a_value_in_each_superstep_ends_at_the_limit_of_nesting() {
    let program =
        program(json!({"state": {"a": "[state.a]", "c": "{'k': state.c}"}})).expect("it compiles");
    let mut values = state(json!({"a": 0, "c": 0}));
    for superstep in 0.. {
        match program.begin(&n(), &values) {
            Ok(Begin::Decided(contributions)) => values.extend(contributions),
            Ok(other) => panic!("{other:?}"),
            Err(error) => {
                assert_eq!(superstep, 64);
                assert_eq!(error.category(), Category::Limit);
                assert!(
                    error
                        .to_string()
                        .contains("the limit of nesting is exceeded: found=65, most=64"),
                    "{error}"
                );
                break;
            }
        }
    }
}
