//! Rules of tests: conditions and values are a few words instead of CEL, so that the machine is
//! tested by itself. Reducers and schemas are the real ones.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::Limits;
use crate::definition::{Definition, Kind, NodeId, Span, StateKey, When};
use crate::machine::Rules;
use crate::program::{Begin, Finished, NodeError};
use crate::state::{Contribution, Refusal, Shape, State, StateError, to_object};

#[derive(Debug, Clone)]
pub(crate) struct Toy {
    definition: Arc<Definition>,
    shape: Shape,
}

impl Toy {
    pub(crate) fn new(definition: &Arc<Definition>) -> Self {
        let shape = Shape::compile(definition, &Limits::default()).expect("valid schemas");
        let definition = Arc::clone(definition);
        Self { definition, shape }
    }

    pub(crate) fn start(&self) -> State {
        self.shape
            .start(&serde_json::Map::new())
            .expect("no input is required")
    }
}

/// `true`, `false`, `error`, `result` (of the source), or `m:k`: the number of values in the list
/// `log`, modulo `m`, is `k`.
pub(crate) fn takes(word: &str, log: usize, result: &Value) -> Option<bool> {
    match word {
        "true" => Some(true),
        "false" => Some(false),
        "result" => Some(*result == Value::Bool(true)),
        "error" => None,
        _ => {
            let (modulus, rest) = word.split_once(':').expect("m:k");
            let number = |text: &str| text.parse::<usize>().expect("a number");
            Some(log % number(modulus) == number(rest))
        }
    }
}

/// An error of category `evaluation`.
fn error(what: &str) -> NodeError {
    let message = what.to_owned();
    NodeError::Id { message }
}

impl Rules for Toy {
    /// A state node contributes its expressions as JSON; `fail` fails. An action gets the state.
    fn begin(&self, node: &NodeId, state: &State) -> Result<Begin, NodeError> {
        Ok(match &self.definition.nodes[node].kind {
            Kind::State(keys) => {
                if keys.values().any(|text| text.as_str() == "fail") {
                    return Err(error("the expression failed"));
                }
                let value = |text: &str| serde_json::from_str(text).expect("JSON");
                let given = keys.iter();
                let given = given.map(|(key, text)| (key.clone(), value(text.as_str())));
                Begin::Decided(given.collect())
            }
            Kind::Action(_) => Begin::Action(to_object(state)),
            Kind::Agent(_) => Begin::Agent(Vec::new()),
            Kind::Input(_) => Begin::Input("?".into()),
            Kind::Sleep(_) => Begin::SleepFor(Span::from_millis(60_000)),
            Kind::JoinAll | Kind::JoinFirst => Begin::Decided(Vec::new()),
            _ => Begin::Pipeline(Vec::new()),
        })
    }

    fn condition(&self, edge: usize, state: &State, result: &Value) -> Result<bool, NodeError> {
        let When::If(word) = &self.definition.edges[edge].when else {
            panic!("only conditions are evaluated");
        };
        let log = state.get("log").and_then(Value::as_array);
        let takes = takes(word.as_str(), log.map_or(0, Vec::len), result);
        takes.ok_or_else(|| error("the condition failed"))
    }

    fn reduce(&self, state: &State, given: Vec<Contribution>) -> Result<State, Refusal> {
        self.shape.apply(state, given)
    }

    fn answer(&self, node: &NodeId, value: Value) -> Result<Finished, NodeError> {
        let Kind::Input(question) = &self.definition.nodes[node].kind else {
            panic!("only input nodes are answered");
        };
        if value == "bad" {
            return Err(error("a bad answer"));
        }
        Ok(Finished {
            contributions: vec![(question.target.clone(), value.clone())],
            result: json!({ "value": value }),
        })
    }

    fn contribution(&self, key: &StateKey, value: &Value) -> Result<(), StateError> {
        if value == "bad" {
            return Err(StateError::NotInput { key: key.clone() });
        }
        Ok(())
    }
}
