mod efforts;
mod paths;
mod reducers;
mod shapes;

use serde_json::Value;

use super::{Shape, StateError};
use crate::definition::Definition;
use crate::limits::Limits;

/// The shape of a definition whose state and input are these.
fn shape(state: Value, input: Option<Value>) -> Shape {
    shape_within(state, input, &Limits::default())
}

fn shape_within(state: Value, input: Option<Value>, limits: &Limits) -> Shape {
    let mut json = serde_json::json!({"graph": 1, "id": "t", "entry": ["n"], "nodes": {"n": {"join_all": {}}}});
    json["state"] = state;
    if let Some(input) = input {
        json["input"] = input;
    }
    let definition: Definition = serde_json::from_value(json).expect("the definition is valid");
    Shape::compile(&definition, limits).expect("the schemas are valid")
}

fn object(value: &Value) -> &serde_json::Map<String, Value> {
    value.as_object().expect("the test gives an object")
}

/// The path and the category of an error.
fn path_of(error: &StateError) -> &str {
    match error {
        StateError::Violation { path, .. } => path,
        _ => "",
    }
}
