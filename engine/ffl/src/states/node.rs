//! The tree of steps.

use jiff::Timestamp;
use serde::Serialize;

use super::{ObjectType, State};
use crate::run::Fault;
use crate::value::Value;

/// A step, block or yield of a run: what it is, its state, and what it contains.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Node {
    /// The scopes from the outermost to its own; empty for the workflow.
    pub path: String,
    /// What it is.
    #[serde(rename = "objectType")]
    pub object: ObjectType,
    /// The name of the step, the alias of the mixin, or the target of the yield; empty for a block.
    pub name: String,
    /// The qualified name of what it calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facet: Option<String>,
    /// The states that it has been in, in order, with the times of the commits that led to them.
    pub states: Vec<Reached>,
    /// Its parameters, as far as they are computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<Value>,
    /// Its returns, once they are captured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returns: Option<Value>,
    /// Its error. A step whose catch succeeded has none.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "fault")]
    pub error: Option<Fault>,
    /// What an author should see, and that is no error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What it contains, in the order in which it began.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Node>,
}

/// A state and when it was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Reached {
    /// The state.
    pub state: State,
    /// The time of the commit that led to it.
    pub at: Timestamp,
}

impl Node {
    /// The current state.
    #[must_use]
    pub fn state(&self) -> State {
        self.states
            .last()
            .map_or(State::Created, |reached| reached.state)
    }

    /// Whether it waits for the work of an event facet.
    #[must_use]
    pub fn transmits(&self) -> bool {
        self.state() == State::EventTransmit
    }

    /// The node and all nodes in it, a node before its children.
    pub fn all(&self) -> Vec<&Self> {
        let mut all = vec![self];
        all.extend(self.children.iter().flat_map(Self::all));
        all
    }
}

fn fault<S: serde::Serializer>(fault: &Option<Fault>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Shown<'f> {
        kind: &'f str,
        message: &'f str,
        path: &'f str,
    }
    let shown = fault.as_ref().map(|fault| Shown {
        kind: &fault.kind,
        message: &fault.message,
        path: &fault.path,
    });
    shown.serialize(serializer)
}
