//! What a node contributes when it ends.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::compile::Program;
use super::error::NodeError;
use super::node::{Part, Reductions};
use crate::definition::{NodeId, StateKey};
use crate::state::{Contribution, Refusal, State, StateError, to_object};

/// What a node gave: contributions in order, and the result that the conditions of its edges read.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// The contributions.
    pub contributions: Vec<(StateKey, Value)>,
    /// The result.
    pub result: Value,
}

impl Finished {
    fn of(contributions: Vec<(StateKey, Value)>) -> Self {
        Self {
            contributions,
            result: json!({}),
        }
    }
}

/// What an agent gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// The text.
    pub output: String,
    /// The structured output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_output: Option<Value>,
    /// The tokens that it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// Tokens of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt.
    pub input_tokens: u64,
    /// Tokens of the output.
    pub output_tokens: u64,
}

impl Program {
    /// Returns what an action contributes by its result.
    ///
    /// # Errors
    /// [`NodeError`] if the result is too large, or lacks a field that `writes` names.
    pub fn action(&self, node: &NodeId, result: Value) -> Result<Finished, NodeError> {
        let result = self.bounded("result", result, self.limits.result)?;
        let Some(Part::Action { target, writes, .. }) = self.parts.get(node) else {
            return Ok(Finished {
                contributions: Vec::new(),
                result,
            });
        };
        let mut contributions: Vec<_> = target
            .iter()
            .map(|key| (key.clone(), result.clone()))
            .collect();
        for (field, key) in writes {
            let value = result.get(field).ok_or_else(|| NodeError::MissingField {
                field: field.clone(),
            })?;
            contributions.push((key.clone(), value.clone()));
        }
        Ok(Finished {
            contributions,
            result,
        })
    }

    /// Returns what an agent contributes by its output.
    ///
    /// # Errors
    /// [`NodeError`] if the output is too large, or if its structured output is missing or violates
    /// its schema.
    pub fn agent(&self, node: &NodeId, output: &Output) -> Result<Finished, NodeError> {
        let result = serde_json::to_value(output).expect("an output is JSON");
        let result = self.bounded("result", result, self.limits.result)?;
        let mut contributions = Vec::new();
        if let Some(Part::Agent {
            text, structured, ..
        }) = self.parts.get(node)
        {
            contributions.extend(
                text.iter()
                    .map(|key| (key.clone(), Value::from(output.output.as_str()))),
            );
            if let Some((key, schema)) = structured {
                let value = output
                    .structured_output
                    .as_ref()
                    .ok_or(NodeError::NoStructuredOutput)?;
                schema.validate(value)?;
                contributions.push((key.clone(), value.clone()));
            }
        }
        Ok(Finished {
            contributions,
            result,
        })
    }

    /// Returns what an `input` node contributes by an answer.
    ///
    /// # Errors
    /// [`NodeError`] if the answer is too large, violates the schema of the node, or violates the
    /// schema of its key where one answer is the whole value.
    pub fn answer(&self, node: &NodeId, value: Value) -> Result<Finished, NodeError> {
        let value = self.value(value)?;
        let Some(Part::Input { schema, target, .. }) = self.parts.get(node) else {
            return Ok(Finished::of(Vec::new()));
        };
        if let Some(schema) = schema {
            schema.validate(&value)?;
        }
        self.shape.accept(target, &value)?;
        let result = json!({"value": value});
        Ok(Finished {
            contributions: vec![(target.clone(), value)],
            result,
        })
    }

    /// Returns what a child or a map contributes by the final states of its children, in order.
    ///
    /// # Errors
    /// [`NodeError`] if a reduction has no source.
    pub fn children(&self, node: &NodeId, states: &[State]) -> Result<Finished, NodeError> {
        match self.parts.get(node) {
            Some(
                Part::Child { reduce, .. }
                | Part::MapOver { reduce, .. }
                | Part::MapTasks { reduce, .. },
            ) => Ok(Finished::of(reductions(reduce, states)?)),
            _ => Ok(Finished::of(Vec::new())),
        }
    }

    /// Returns what a pipeline contributes by the final states of its children, in order. Without
    /// reductions, it contributes the keys of the last state that this definition has.
    ///
    /// # Errors
    /// [`NodeError`] if a reduction has no source, or if the result is too large.
    pub fn pipeline(&self, node: &NodeId, states: &[State]) -> Result<Finished, NodeError> {
        let Some(Part::Pipeline { children, reduce }) = self.parts.get(node) else {
            return Ok(Finished::of(Vec::new()));
        };
        let Some(last) = states.last().filter(|_| states.len() == children.len()) else {
            return Err(NodeError::States {
                states: states.len(),
                children: children.len(),
            });
        };
        let contributions = if reduce.is_empty() {
            let known = last
                .iter()
                .filter(|(key, _)| self.definition.state.contains_key(*key));
            known
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect()
        } else {
            reductions(reduce, states)?
        };
        let all: Vec<Map<String, Value>> = states.iter().map(to_object).collect();
        let result = json!({"child_states": all, "final_state": to_object(last)});
        Ok(Finished {
            contributions,
            result: self.bounded("result", result, self.limits.result)?,
        })
    }

    /// Validates a value that a decision gives for a key of the state.
    ///
    /// # Errors
    /// [`StateError`] if the key is unknown, or if the value never fits it.
    pub fn contribution(&self, key: &StateKey, value: &Value) -> Result<(), StateError> {
        self.shape.accept(key, value)
    }

    /// Returns the state after the contributions of a superstep, which are in order.
    ///
    /// # Errors
    /// [`Refusal`] with the last node that contributed to the key.
    pub fn reduce(
        &self,
        state: &State,
        contributions: Vec<Contribution>,
    ) -> Result<State, Refusal> {
        self.shape.apply(state, contributions)
    }
}

/// By target, then by index, then by reduction.
fn reductions(reduce: &Reductions, states: &[State]) -> Result<Vec<(StateKey, Value)>, NodeError> {
    let mut contributions = Vec::new();
    for (key, paths) in reduce {
        for state in states {
            for path in paths {
                contributions.push((key.clone(), path.find(state)?.clone()));
            }
        }
    }
    Ok(contributions)
}
