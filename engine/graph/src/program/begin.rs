//! What a node asks for when it begins.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::compile::Program;
use super::error::NodeError;
use super::node::{ByName, Part};
use crate::definition::{NodeId, Role, Span, StateKey, Task};
use crate::express::Scope;
use crate::limits::within;
use crate::state::State;

/// What a node asks for, computed on the state of the barrier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Begin {
    /// Nothing: these are its contributions, in order.
    Decided(Vec<(StateKey, Value)>),
    /// An attempt of a handler with this input.
    Action(Map<String, Value>),
    /// An attempt of an agent with these messages.
    Agent(Vec<Prompt>),
    /// An answer to this message.
    Input(String),
    /// A wait for a span.
    SleepFor(Span),
    /// A wait until an instant.
    SleepUntil(Timestamp),
    /// Children that run at once, at most `limit` of them.
    Children {
        /// The children, in order.
        tasks: Vec<Task>,
        /// How many run at once.
        limit: u64,
    },
    /// Children that run one after the other. Their inputs are laid over the state of the one before.
    Pipeline(Vec<Task>),
}

/// A message of a prompt, rendered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// The author.
    pub role: Role,
    /// The text.
    pub text: String,
}

impl Program {
    /// Computes what a node asks for. A join asks for nothing and contributes nothing, and so does a
    /// node that the definition does not have.
    ///
    /// # Errors
    /// [`NodeError`] if an expression fails, a value is too large, or a list of tasks is not one.
    pub fn begin(&self, node: &NodeId, state: &State) -> Result<Begin, NodeError> {
        let scope = Scope::of(state);
        let Some(part) = self.parts.get(node) else {
            return Ok(Begin::Decided(Vec::new()));
        };
        Ok(match part {
            Part::Join => Begin::Decided(Vec::new()),
            Part::State(keys) => {
                let values = keys
                    .iter()
                    .map(|(key, source)| Ok((key.clone(), self.value(source.evaluate(&scope)?)?)));
                Begin::Decided(values.collect::<Result<_, NodeError>>()?)
            }
            Part::Action { with, .. } => Begin::Action(self.object(with, &scope)?),
            Part::Agent { messages, .. } => {
                let rendered = messages.iter().map(|(role, text)| {
                    let text = text.render(&scope)?;
                    within("value", text.len(), self.limits.value)?;
                    Ok(Prompt { role: *role, text })
                });
                Begin::Agent(rendered.collect::<Result<_, NodeError>>()?)
            }
            Part::Input { message, .. } => {
                let text = message.render(&scope)?;
                within("message", text.len(), self.limits.message)?;
                Begin::Input(text)
            }
            Part::Sleep(span) => Begin::SleepFor(*span),
            Part::SleepUntil(until) => {
                let text = until.text(&scope)?;
                let instant = text.parse().map_err(|_| NodeError::Instant {
                    text: text.chars().take(100).collect(),
                });
                Begin::SleepUntil(instant?)
            }
            Part::Child { child, .. } => Begin::Children {
                tasks: vec![self.task(child, 0, &scope)?],
                limit: 1,
            },
            Part::MapOver {
                over, child, limit, ..
            } => {
                let list = over.list(&scope)?;
                self.decide(self.tasks_over(&list, child, &scope)?, *limit)
            }
            Part::MapTasks { tasks, limit, .. } => {
                self.decide(self.tasks_of(tasks.list(&scope)?)?, *limit)
            }
            Part::Pipeline { children, .. } => {
                let tasks = children
                    .iter()
                    .enumerate()
                    .map(|(index, child)| self.task(child, index, &scope));
                Begin::Pipeline(tasks.collect::<Result<_, _>>()?)
            }
        })
    }

    /// An empty list is complete at once, without contributions.
    fn decide(&self, tasks: Vec<Task>, limit: u64) -> Begin {
        if tasks.is_empty() {
            Begin::Decided(Vec::new())
        } else {
            Begin::Children { tasks, limit }
        }
    }

    pub(super) fn value(&self, value: Value) -> Result<Value, NodeError> {
        self.bounded("value", value, self.limits.value)
    }

    pub(super) fn object<K: ToString>(
        &self,
        values: &ByName<K>,
        scope: &Scope<'_>,
    ) -> Result<Map<String, Value>, NodeError> {
        values
            .iter()
            .map(|(name, source)| Ok((name.to_string(), self.value(source.evaluate(scope)?)?)))
            .collect()
    }
}
