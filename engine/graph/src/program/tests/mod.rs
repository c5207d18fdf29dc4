mod begins;
mod ends;

use std::sync::Arc;

use serde_json::{Value, json};

use super::{CompileError, Program};
use crate::definition::{NodeId, StateKey};
use crate::limits::Limits;
use crate::state::State;

/// A program of one node `n` over keys `a` to `d`, of which `d` is appended to.
fn program(node: Value) -> Result<Program, CompileError> {
    program_within(node, &Limits::default())
}

fn program_within(node: Value, limits: &Limits) -> Result<Program, CompileError> {
    let mut json = json!({"graph": 1, "id": "t", "entry": ["n"], "nodes": {"j": {"join_all": {}}},
        "state": {"a": {}, "b": {"schema": {"type": "integer"}}, "c": {}, "d": {"reduce": "append"}},
        "edges": [{"from": "n", "to": "j", "if": "result.ok && state.a == 1"}, {"from": "n", "to": "j"}]});
    json["nodes"]["n"] = node;
    Program::compile(
        Arc::new(serde_json::from_value(json).expect("a definition")),
        limits,
    )
}

fn n() -> NodeId {
    NodeId::parse("n").expect("a node id")
}

fn key(text: &str) -> StateKey {
    StateKey::parse(text).expect("a state key")
}

/// A state with these values.
fn state(values: Value) -> State {
    serde_json::from_value(values).expect("a state")
}

/// Contributions as JSON, for comparison.
fn pairs(contributions: &[(StateKey, Value)]) -> Value {
    json!(
        contributions
            .iter()
            .map(|(key, value)| json!([key, value]))
            .collect::<Vec<_>>()
    )
}
