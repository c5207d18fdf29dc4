use serde_json::{Value, json};

use super::{key, n, pairs, program, program_within, state};
use crate::category::Category;
use crate::definition::NodeId;
use crate::limits::Limits;
use crate::program::{NodeError, Output, Usage};
use crate::state::{Contribution, State};

fn outcome(
    finished: Result<crate::program::Finished, NodeError>,
) -> Result<(Value, Value), Category> {
    finished
        .map(|finished| (pairs(&finished.contributions), finished.result))
        .map_err(|error| error.category())
}

#[test]
fn an_action_contributes_its_result_or_fields_of_it() {
    let result = json!({"receipt": 7, "more": null});
    let action = |node: Value| {
        outcome(
            program(node)
                .expect("it compiles")
                .action(&n(), result.clone()),
        )
    };
    assert_eq!(
        action(json!({"action": "x"})),
        Ok((json!([]), result.clone()))
    );
    assert_eq!(
        action(json!({"action": "x", "target": "a"})),
        Ok((json!([["a", result]]), result.clone()))
    );
    let writes = json!({"action": "x", "writes": {"receipt": "a", "more": "c"}});
    assert_eq!(
        action(writes),
        Ok((json!([["c", null], ["a", 7]]), result.clone()))
    );
    assert_eq!(
        action(json!({"action": "x", "writes": {"missing": "a"}})),
        Err(Category::Evaluation)
    );
}

#[test]
fn a5_an_agent_contributes_text_and_structured_output() {
    let node = json!({"agent": "w", "prompt": "p", "text": "d", "structured": {"key": "a", "schema": {"type": "object"}}});
    let program = program(node).expect("it compiles");
    let output = |structured_output: Option<Value>, usage| Output {
        output: "t".into(),
        structured_output,
        usage,
    };
    let usage = Some(Usage {
        input_tokens: 1,
        output_tokens: 2,
    });
    assert_eq!(
        outcome(program.agent(&n(), &output(Some(json!({"x": 1})), usage))),
        Ok((
            json!([["d", "t"], ["a", {"x": 1}]]),
            json!({"output": "t", "structured_output": {"x": 1}, "usage": {"input_tokens": 1, "output_tokens": 2}})
        ))
    );
    assert_eq!(
        outcome(program.agent(&n(), &output(None, usage))),
        Err(Category::Agent)
    );
    assert_eq!(
        outcome(program.agent(&n(), &output(Some(json!(1)), None))),
        Err(Category::Evaluation)
    );
}

#[test]
fn i1_an_answer_is_validated_contributed_and_in_the_result() {
    let node = json!({"input": {"message": "m", "schema": {"maximum": 10}, "target": "b"}});
    let program = program(node).expect("it compiles");
    assert_eq!(
        outcome(program.answer(&n(), json!(7))),
        Ok((json!([["b", 7]]), json!({"value": 7})))
    );
    // The schema of the node, then that of the key.
    assert_eq!(
        outcome(program.answer(&n(), json!(11))),
        Err(Category::Evaluation)
    );
    let error = program
        .answer(&n(), json!("x"))
        .expect_err("the key takes integers");
    assert!(error.to_string().contains("/b"), "{error}");
}

fn states(list: &[Value]) -> Vec<State> {
    list.iter().cloned().map(state).collect()
}

#[test]
fn h2_reductions_are_in_order_of_target_then_index_then_reduction() {
    let node = json!({"map": {"over": "[1]", "definition": "x", "reduce": {"z": "d", "a.b": "d", "m": "c"}}});
    let program = program(node).expect("it compiles");
    let finals = states(&[
        json!({"z": 1, "a": {"b": 2}, "m": 3}),
        json!({"z": 4, "a": {"b": 5}, "m": 6}),
    ]);
    let expected = json!([["d", 2], ["d", 1], ["d", 5], ["d", 4], ["c", 3], ["c", 6]]);
    assert_eq!(
        outcome(program.children(&n(), &finals)),
        Ok((expected, json!({})))
    );
    let missing = states(&[json!({"z": 1, "m": 3})]);
    assert_eq!(
        outcome(program.children(&n(), &missing)),
        Err(Category::Evaluation)
    );
}

#[test]
fn h3_a_pipeline_without_reductions_contributes_the_keys_of_its_last_state_that_it_has() {
    let children = json!([{"definition": "x"}, {"definition": "y"}]);
    let finals = states(&[json!({"a": 1, "z": 1}), json!({"a": 2, "z": 2, "b": 3})]);
    let result = json!({"child_states": [{"a": 1, "z": 1}, {"a": 2, "z": 2, "b": 3}], "final_state": {"a": 2, "z": 2, "b": 3}});
    let plain = program(json!({"pipeline": {"children": children}})).expect("it compiles");
    assert_eq!(
        outcome(plain.pipeline(&n(), &finals)),
        Ok((json!([["a", 2], ["b", 3]]), result.clone()))
    );
    let reduced = program(json!({"pipeline": {"children": children, "reduce": {"z": "d"}}}))
        .expect("it compiles");
    assert_eq!(
        outcome(reduced.pipeline(&n(), &finals)),
        Ok((json!([["d", 1], ["d", 2]]), result))
    );
    assert_eq!(
        outcome(plain.pipeline(&n(), &finals[..1])),
        Err(Category::Execution)
    );
}

#[test]
fn l1_a_result_over_its_limit_is_of_category_limit() {
    let limits = Limits {
        result: 30,
        ..Limits::default()
    };
    let program = program_within(json!({"action": "x"}), &limits).expect("it compiles");
    program
        .action(&n(), json!("x".repeat(28)))
        .expect("it fits");
    assert_eq!(
        outcome(program.action(&n(), json!("x".repeat(29)))),
        Err(Category::Limit)
    );
}

#[test]
fn i5_a_decision_gives_values_for_declared_keys_only() {
    let program = program(json!({"action": "x"})).expect("it compiles");
    program
        .contribution(&key("b"), &json!(1))
        .expect("an integer");
    program
        .contribution(&key("d"), &json!("anything is appended"))
        .expect("any value");
    program
        .contribution(&key("b"), &json!("x"))
        .expect_err("not an integer");
    program
        .contribution(&key("z"), &json!(1))
        .expect_err("no such key");
}

#[test]
fn contributions_of_a_superstep_make_the_new_state() {
    let program = program(json!({"action": "x"})).expect("it compiles");
    let give = |node: &str, name: &str, value: Value| Contribution {
        node: NodeId::parse(node).expect("an id"),
        key: key(name),
        value,
    };
    let before = state(json!({"d": []}));
    let after = program.reduce(
        &before,
        vec![
            give("n", "d", json!(1)),
            give("m", "d", json!(2)),
            give("m", "b", json!(3)),
        ],
    );
    assert_eq!(after, Ok(state(json!({"d": [1, 2], "b": 3}))));
    let refused = program
        .reduce(&before, vec![give("n", "b", json!("x"))])
        .expect_err("refused");
    assert_eq!(
        (refused.node.as_str(), refused.cause.category()),
        ("n", Category::State)
    );
}
