//! Nodes whose work is done by a handler or an agent.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ids::{Name, StateKey};
use super::keys::Schema;
use super::retry::Retry;
use super::strict::{distinct, is_default, is_false, nonempty, present};
use super::text::{Expression, Template};

/// A node that runs a handler.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// The handler.
    pub action: Name,
    /// The handler's input: an expression per field.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub with: BTreeMap<String, Expression>,
    /// Names of values that are asked for while the run executes.
    #[serde(
        default,
        deserialize_with = "distinct",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub inputs: Vec<Name>,
    /// The key that receives the whole result.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub target: Option<StateKey>,
    /// The keys that receive fields of the result.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub writes: BTreeMap<String, StateKey>,
    /// Where the handler runs.
    #[serde(default, skip_serializing_if = "is_default")]
    pub run: RunsAs,
    /// The queue of the task.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub queue: Option<Name>,
    /// A lost attempt is not made again without a decision.
    #[serde(default, skip_serializing_if = "is_false")]
    pub at_most_once: bool,
    /// The handler that determines the outcome of a lost attempt.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub reconcile: Option<Name>,
    /// When a failed attempt is followed by another one.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub retry: Option<Retry>,
}

impl Action {
    /// The queue of an action that names none.
    pub const QUEUE: &'static str = "actions";

    /// Returns the name of the queue of its tasks.
    #[must_use]
    pub fn queue(&self) -> &str {
        self.queue.as_ref().map_or(Self::QUEUE, Name::as_str)
    }
}

/// Where the handler of an action runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunsAs {
    /// In a consumer, as a task of a queue.
    #[default]
    Task,
    /// In the worker that drives the run, as a step.
    Worker,
}

/// A node that runs an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// The agent of the catalog.
    pub agent: Name,
    /// A prompt of one message; either this or `messages` is given.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub prompt: Option<Template>,
    /// A prompt of several messages.
    #[serde(
        default,
        deserialize_with = "some",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub messages: Vec<Message>,
    /// The key that receives the output text.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub text: Option<StateKey>,
    /// The key that receives the structured output, and its schema.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub structured: Option<Structured>,
    /// Partial output goes to watchers.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stream: bool,
    /// When a failed attempt is followed by another one.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub retry: Option<Retry>,
}

fn some<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Message>, D::Error> {
    nonempty(deserializer)
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// The author of the message.
    pub role: Role,
    /// The text.
    pub text: Template,
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Instructions of the application.
    System,
    /// The person or program that asks.
    User,
    /// An earlier answer of the agent.
    Assistant,
}

/// Where the structured output of an agent goes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Structured {
    /// The key that receives it.
    pub key: StateKey,
    /// Its schema.
    pub schema: Schema,
}
