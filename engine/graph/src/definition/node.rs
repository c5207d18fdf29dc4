//! A node: one kind, and what every node has.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de, ser};
use serde_json::{Map as JsonMap, Value};

use super::children::{Child, Map, Pipeline};
use super::ids::StateKey;
use super::keys::Schema;
use super::retry::Retry;
use super::span::Span;
use super::strict::present;
use super::text::{Expression, Template};
use super::work::{Action, Agent};

/// A node of a definition.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// What it does.
    pub kind: Kind,
    /// The time from the beginning of an activation to its timeout, over all attempts.
    pub deadline: Option<Span>,
    /// Free text for readers.
    pub doc: Option<String>,
}

impl Node {
    /// The deadline of a node that gives none.
    pub const DEADLINE: Span = Span::from_millis(3_600_000);

    /// Returns the time from the beginning of an activation to its timeout.
    #[must_use]
    pub fn deadline(&self) -> Span {
        self.deadline.unwrap_or(Self::DEADLINE)
    }

    /// Returns the retry policy: one attempt, if the node gives none.
    #[must_use]
    pub fn retry(&self) -> Retry {
        let given = match &self.kind {
            Kind::Action(action) => action.retry.clone(),
            Kind::Agent(agent) => agent.retry.clone(),
            _ => None,
        };
        given.unwrap_or_default()
    }
}

/// What a node does.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Runs a handler.
    Action(Box<Action>),
    /// Runs an agent.
    Agent(Box<Agent>),
    /// Computes values of the state.
    State(BTreeMap<StateKey, Expression>),
    /// Asks for a value from outside.
    Input(Ask),
    /// Waits.
    Sleep(Sleep),
    /// Runs one child.
    Child(Box<Child>),
    /// Runs many children at once.
    Map(Map),
    /// Runs children one after the other.
    Pipeline(Pipeline),
    /// Waits for every path that can reach it.
    JoinAll,
    /// Continues with the first path that reaches it.
    JoinFirst,
}

impl Kind {
    /// The names of all kinds, as a definition writes them.
    pub const NAMES: [&'static str; 10] = [
        "action",
        "agent",
        "state",
        "input",
        "sleep",
        "child",
        "map",
        "pipeline",
        "join_all",
        "join_first",
    ];

    /// Returns the name, as a definition writes it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Action(_) => "action",
            Self::Agent(_) => "agent",
            Self::State(_) => "state",
            Self::Input(_) => "input",
            Self::Sleep(_) => "sleep",
            Self::Child(_) => "child",
            Self::Map(_) => "map",
            Self::Pipeline(_) => "pipeline",
            Self::JoinAll => "join_all",
            Self::JoinFirst => "join_first",
        }
    }

    /// Returns whether it is a join of either kind.
    #[must_use]
    pub const fn is_join(&self) -> bool {
        matches!(self, Self::JoinAll | Self::JoinFirst)
    }
}

/// What an `input` node asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The text that a person reads.
    pub message: Template,
    /// The schema of the answer; without it, any value.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub schema: Option<Schema>,
    /// The key that receives the answer.
    pub target: StateKey,
}

/// How long a `sleep` node waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Sleep {
    /// For a span.
    For(Span),
    /// Until an instant.
    Until(Until),
}

/// An instant that an expression gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Until {
    /// The expression; it gives an RFC 3339 timestamp as text.
    pub until: Expression,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = JsonMap::deserialize(deserializer)?;
        read(&mut fields).map_err(de::Error::custom)
    }
}

fn read(fields: &mut JsonMap<String, Value>) -> Result<Node, serde_json::Error> {
    let take = |fields: &mut JsonMap<String, Value>, name| fields.remove(name);
    let deadline = take(fields, "deadline")
        .map(Span::deserialize)
        .transpose()?;
    let doc = take(fields, "doc").map(String::deserialize).transpose()?;
    let mut kinds = Kind::NAMES
        .into_iter()
        .filter(|name| fields.contains_key(*name));
    let kind = match (kinds.next(), kinds.next()) {
        // Of an action, `state` and `input` could only be unknown fields.
        (Some("action"), None) => Kind::Action(Box::new(from(fields)?)),
        (Some("agent"), None) => Kind::Agent(Box::new(from(fields)?)),
        (Some(name), None) => {
            let value = fields
                .remove(name)
                .expect("the name was found among the fields");
            if let Some(other) = fields.keys().next() {
                return Err(de::Error::custom(format!(
                    "unknown field of a {name} node: field={other}"
                )));
            }
            match name {
                "state" => Kind::State(BTreeMap::deserialize(value)?),
                "input" => Kind::Input(Ask::deserialize(value)?),
                "sleep" => Kind::Sleep(Sleep::deserialize(value)?),
                "child" => Kind::Child(Box::new(Child::deserialize(value)?)),
                "map" => Kind::Map(Map::deserialize(value)?),
                "pipeline" => Kind::Pipeline(Pipeline::deserialize(value)?),
                "join_all" => Nothing::deserialize(value).map(|_| Kind::JoinAll)?,
                _ => Nothing::deserialize(value).map(|_| Kind::JoinFirst)?,
            }
        }
        _ => {
            return Err(de::Error::custom(format!(
                "a node has exactly one of: {}",
                Kind::NAMES.join(", ")
            )));
        }
    };
    Ok(Node {
        kind,
        deadline,
        doc,
    })
}

fn from<T: de::DeserializeOwned>(
    fields: &mut JsonMap<String, Value>,
) -> Result<T, serde_json::Error> {
    T::deserialize(Value::Object(std::mem::take(fields)))
}

impl Serialize for Node {
    fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = write(&self.kind).map_err(ser::Error::custom)?;
        if let Some(deadline) = self.deadline.filter(|deadline| *deadline != Self::DEADLINE) {
            fields.insert("deadline".into(), deadline.to_string().into());
        }
        if let Some(doc) = &self.doc {
            fields.insert("doc".into(), doc.as_str().into());
        }
        fields.serialize(serializer)
    }
}

fn write(kind: &Kind) -> Result<JsonMap<String, Value>, serde_json::Error> {
    let value = match kind {
        Kind::Action(action) => return object(&**action),
        Kind::Agent(agent) => return object(&**agent),
        Kind::State(keys) => serde_json::to_value(keys),
        Kind::Input(ask) => serde_json::to_value(ask),
        Kind::Sleep(sleep) => serde_json::to_value(sleep),
        Kind::Child(child) => serde_json::to_value(child),
        Kind::Map(map) => serde_json::to_value(map),
        Kind::Pipeline(pipeline) => serde_json::to_value(pipeline),
        Kind::JoinAll | Kind::JoinFirst => serde_json::to_value(Nothing {}),
    }?;
    Ok(JsonMap::from_iter([(kind.name().to_owned(), value)]))
}

fn object(value: &impl Serialize) -> Result<JsonMap<String, Value>, serde_json::Error> {
    match serde_json::to_value(value)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(ser::Error::custom("a node is written as an object")),
    }
}
