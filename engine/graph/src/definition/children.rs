//! Nodes that run other definitions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ids::{Name, Revision, StateKey};
use super::strict::{Whole, distinct, is_default, nonempty, present};
use super::text::Expression;

/// The most tasks of one `map`, and the largest value of its `limit`.
pub const MOST_TASKS: u64 = 100_000;

/// The largest sequence and ordinal that a definition names: JSON numbers are exact up to it.
pub const MOST_EXACT: u64 = 9_007_199_254_740_991;

/// Which definition a child runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Which {
    /// By its id.
    Literal(Name),
    /// By an expression that gives its id.
    Computed(Computed),
}

/// An id that an expression gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Computed {
    /// The expression.
    pub cel: Expression,
}

/// A node that runs one child.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Child {
    /// Which definition it runs.
    pub definition: Which,
    /// The revision, instead of the pinned one.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub revision: Option<Revision>,
    /// Its input: an expression per key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub input: BTreeMap<StateKey, Expression>,
    /// Names of sealed inputs that are passed on.
    #[serde(
        default,
        deserialize_with = "distinct",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub inputs: Vec<Name>,
    /// The checkpoint of another run that the child begins from.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub init: Option<Init>,
    /// Paths of the child's final state, and the keys that receive their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reduce: BTreeMap<String, StateKey>,
    /// What becomes of the child's history.
    #[serde(default, skip_serializing_if = "is_default")]
    pub history: History,
}

/// What becomes of a child's history after its contributions were taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// It stays.
    #[default]
    Keep,
    /// It is deleted after the barrier that took the contributions.
    DeleteAfterReduction,
}

/// The checkpoint of another run that a child begins from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Init {
    /// An expression that gives the run or its key.
    pub from: Expression,
    /// Which checkpoint of that run.
    #[serde(default, skip_serializing_if = "is_default")]
    pub checkpoint: Checkpoint,
    /// Where the child continues.
    #[serde(default, skip_serializing_if = "is_default")]
    pub position: Position,
    /// Expressions per key that replace values of the checkpoint's state.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub overrides: BTreeMap<StateKey, Expression>,
    /// The whole state of the child if there is no such checkpoint.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub fallback: Option<BTreeMap<StateKey, Expression>>,
}

/// One checkpoint of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Checkpoint {
    /// The newest one.
    #[default]
    Latest,
    /// The one with this sequence.
    Sequence(Whole<0, MOST_EXACT>),
    /// The barrier that holds this action ordinal.
    Action(Whole<0, MOST_EXACT>),
}

/// Where a run continues that begins from a checkpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    /// At the entry of the definition.
    Entrypoint,
    /// At the saved action, which runs again.
    AtSaved,
    /// After the saved action.
    #[default]
    After,
}

/// A node that runs many children at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Map {
    /// One child per element of a list.
    Over(Box<MapOver>),
    /// One child per task of a computed list.
    Tasks(MapTasks),
}

impl<'de> Deserialize<'de> for Map {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // By the field that selects the form, so that errors speak of that form only.
        let value = Value::deserialize(deserializer)?;
        if value.get("tasks").is_some() {
            MapTasks::deserialize(value).map(Self::Tasks)
        } else {
            MapOver::deserialize(value).map(|over| Self::Over(Box::new(over)))
        }
        .map_err(serde::de::Error::custom)
    }
}

impl Map {
    /// Returns the reductions of each child.
    #[must_use]
    pub const fn reduce(&self) -> &BTreeMap<String, StateKey> {
        match self {
            Self::Over(over) => &over.reduce,
            Self::Tasks(tasks) => &tasks.reduce,
        }
    }

    /// Returns how many children run at once.
    #[must_use]
    pub const fn limit(&self) -> u64 {
        match self {
            Self::Over(over) => over.limit.0.get(),
            Self::Tasks(tasks) => tasks.limit.0.get(),
        }
    }
}

/// How many children run at once; 64 if it is not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Concurrency(pub Whole<1, MOST_TASKS>);

impl Default for Concurrency {
    fn default() -> Self {
        Self(Whole::new(64).expect("64 is in the range"))
    }
}

/// One child per element of a list, which is `item` in the expressions; its place is `index`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapOver {
    /// An expression that gives the list.
    pub over: Expression,
    /// Which definition each child runs.
    pub definition: Which,
    /// The revision, instead of the pinned one.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub revision: Option<Revision>,
    /// Its input: an expression per key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub input: BTreeMap<StateKey, Expression>,
    /// Names of sealed inputs that are passed on.
    #[serde(
        default,
        deserialize_with = "distinct",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub inputs: Vec<Name>,
    /// The checkpoint of another run that each child begins from.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub init: Option<Init>,
    /// Paths of each final state, and the keys that receive their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reduce: BTreeMap<String, StateKey>,
    /// How many children run at once.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limit: Concurrency,
    /// What becomes of the history of each child.
    #[serde(default, skip_serializing_if = "is_default")]
    pub history: History,
}

/// One child per task of a computed list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapTasks {
    /// An expression that gives the list of tasks.
    pub tasks: Expression,
    /// Paths of each final state, and the keys that receive their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reduce: BTreeMap<String, StateKey>,
    /// How many children run at once.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limit: Concurrency,
}

/// A node that runs children one after the other; each hands its state to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pipeline {
    /// The children, in order.
    #[serde(deserialize_with = "nonempty")]
    pub children: Vec<Stage>,
    /// Paths of each final state, and the keys that receive their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reduce: BTreeMap<String, StateKey>,
}

/// One child of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Which definition it runs.
    pub definition: Which,
    /// The revision, instead of the pinned one.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub revision: Option<Revision>,
    /// Expressions per key that are laid over the state of the child before.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub input: BTreeMap<StateKey, Expression>,
    /// Names of sealed inputs that are passed on.
    #[serde(
        default,
        deserialize_with = "distinct",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub inputs: Vec<Name>,
    /// What becomes of the child's history.
    #[serde(default, skip_serializing_if = "is_default")]
    pub history: History,
}

/// One task of the list that `tasks` gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// The definition.
    pub workflow: Name,
    /// The revision, instead of the pinned one.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub revision: Option<Revision>,
    /// The key, unique within the list.
    pub key: super::ids::TaskKey,
    /// The input of the child.
    pub input: serde_json::Map<String, Value>,
    /// Names of sealed inputs that are passed on.
    #[serde(
        default,
        deserialize_with = "distinct",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub inputs: Vec<Name>,
    /// The checkpoint of another run that the child begins from, with values instead of expressions.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub init: Option<TaskInit>,
    /// What becomes of the child's history.
    #[serde(default, skip_serializing_if = "is_default")]
    pub history: History,
}

/// [`Init`] of a task: the list of tasks is computed, so it holds values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskInit {
    /// The run or its key.
    pub from: String,
    /// Which checkpoint of that run.
    #[serde(default, skip_serializing_if = "is_default")]
    pub checkpoint: Checkpoint,
    /// Where the child continues.
    #[serde(default, skip_serializing_if = "is_default")]
    pub position: Position,
    /// Values that replace those of the checkpoint's state.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub overrides: serde_json::Map<String, Value>,
    /// The whole state of the child if there is no such checkpoint.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub fallback: Option<serde_json::Map<String, Value>>,
}
