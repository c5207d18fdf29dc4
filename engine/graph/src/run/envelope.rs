//! The input of a run's execution.

use millpond::domain::ExecutionId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::machine::Bound;
use crate::pins::Pins;

/// The input of a run's execution, as [`Graphs::start`](super::Graphs::start) makes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// What the state begins as.
    pub begin: Beginning,
    /// The revisions of everything that the run starts by name.
    pub pins: Pins,
    /// The run begins paused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prepared: bool,
    /// When the run pauses by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// The run that started this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
}

/// What the state of a run begins as.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Beginning {
    /// Input keys, completed by initial values.
    Input(Map<String, Value>),
    /// A whole state.
    State(Map<String, Value>),
}

/// The run that started another one as a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parent {
    /// The run.
    pub run: ExecutionId,
    /// How many runs are above the child.
    pub depth: u32,
}

impl schemars::JsonSchema for Envelope {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "GraphRun".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "required": ["begin", "pins"],
            "properties": {
                "begin": {
                    "oneOf": [
                        {"type": "object", "required": ["input"], "properties": {"input": {"type": "object"}}},
                        {"type": "object", "required": ["state"], "properties": {"state": {"type": "object"}}},
                    ],
                },
                "pins": {"type": "object"},
                "prepared": {"type": "boolean"},
                "bound": {"type": "object"},
                "parent": {"type": "object"},
            },
            "additionalProperties": false,
        })
    }
}
