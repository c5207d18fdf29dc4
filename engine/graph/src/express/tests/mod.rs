mod expressions;
mod templates;
mod work;

use serde_json::{Value, json};

use super::{Compiled, EvaluateError, Names, ParseError, Scope};
use crate::definition::{Definition, Expression};
use crate::limits::Limits;
use crate::state::{Shape, State};

/// A state with these values, whatever their types.
fn state(values: &Value) -> State {
    let fields = values.as_object().expect("the test gives an object");
    let keys: serde_json::Map<_, _> = fields.keys().map(|key| (key.clone(), json!({}))).collect();
    let json = json!({"graph": 1, "id": "t", "entry": ["n"], "nodes": {"n": {"join_all": {}}}, "state": keys});
    let definition: Definition = serde_json::from_value(json).expect("the definition is valid");
    let limits = Limits {
        value: usize::MAX,
        state: usize::MAX,
        ..Limits::default()
    };
    Shape::compile(&definition, &limits)
        .expect("no schemas")
        .start(fields)
        .expect("a state")
}

fn compile(source: &str, names: Names) -> Result<Compiled, ParseError> {
    Compiled::compile(&Expression::new(source), names, &Limits::default())
}

/// The value of an expression over a state.
fn value(source: &str, values: &Value) -> Result<Value, EvaluateError> {
    let compiled = compile(source, Names::State).expect(source);
    compiled.evaluate(&Scope::of(&state(values)))
}
