//! The keys of the state and the input of a start.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ids::StateKey;
use super::strict::{distinct, is_default, present};

/// One key of the state.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeySpec {
    /// The JSON Schema (2020-12) of its value.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub schema: Option<Schema>,
    /// How contributions change the value.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reduce: Reduce,
    /// The value at the beginning of a run, if the input does not give one.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub initial: Option<Value>,
}

/// A JSON Schema: an object or a boolean.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Schema(Value);

impl Schema {
    /// Takes a schema, or returns nothing if the value is neither an object nor a boolean.
    #[must_use]
    pub fn new(value: Value) -> Option<Self> {
        (value.is_object() || value.is_boolean()).then_some(Self(value))
    }

    /// Returns the schema as JSON.
    #[must_use]
    pub fn as_json(&self) -> &Value {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Value::deserialize(deserializer)?)
            .ok_or_else(|| serde::de::Error::custom("a JSON Schema is an object or a boolean"))
    }
}

/// How contributions of one superstep change a key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reduce {
    /// The last contribution in order wins.
    #[default]
    Replace,
    /// Each contribution is added to the end of a list.
    Append,
    /// Each contribution is a list, which is added to the end of a list.
    Concat,
    /// Each contribution is an object, whose members replace those of the value.
    Merge,
    /// Numbers are added.
    Sum,
    /// The largest value wins.
    Max,
    /// The smallest value wins.
    Min,
    /// Each contribution is a list; the value is the union, sorted by canonical text.
    Set,
}

/// The keys that a start gives.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Keys that a start must give.
    #[serde(
        default,
        deserialize_with = "distinct",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub required: Vec<StateKey>,
    /// Keys that a start may give.
    #[serde(
        default,
        deserialize_with = "distinct",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub optional: Vec<StateKey>,
}
