//! One checkpoint of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::control::Control;
use super::failure::Failure;
use super::rules::Complete;
use super::settlement::Settlements;
use crate::definition::NodeId;
use crate::frontier::{Activation, Visits};
use crate::state::State;

/// What a run is after one transition: a pure function of definition, input and events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Its number: 0 at the admission, one more after each transition.
    pub sequence: u64,
    /// How many barriers there were.
    pub superstep: u64,
    /// The sequence of the last barrier.
    pub base: u64,
    /// The state.
    pub state: Arc<State>,
    /// The activations, in order. In phase `routing`, the deferred joins only.
    pub frontier: Arc<Vec<Arc<Activation>>>,
    /// The visit of each join that a complete `join_first` settled.
    pub settled_joins: Arc<Visits>,
    /// What has ended, by index into the frontier.
    pub staged: BTreeMap<usize, Staged>,
    /// What is open, by index into the frontier.
    pub controls: BTreeMap<usize, Control>,
    /// The phase.
    pub phase: Phase,
    /// Whether new work may begin.
    pub admission: Admission,
    /// The last action ordinal, with its node.
    pub position: Option<Position>,
    /// The outcomes of the last barrier, in order.
    pub outcomes: Arc<Vec<Outcome>>,
    /// The decisions of interactions.
    pub settlements: Settlements,
}

impl Checkpoint {
    /// Returns the ordinal that the next complete activation gets.
    #[must_use]
    pub fn next_ordinal(&self) -> u64 {
        self.position.as_ref().map_or(0, |last| last.ordinal + 1)
    }
}

/// How an activation ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Staged {
    /// With contributions and a result.
    Complete(Arc<Complete>),
    /// With a failure.
    Failed(Failure),
}

/// The part of a superstep in which a run is, or its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// After a barrier: the edges of the sources are evaluated next.
    Routing {
        /// The activations that the barrier completed, in order.
        sources: Vec<Source>,
    },
    /// The activations of the frontier begin and end.
    Active,
    /// A failure stops the run.
    Failing {
        /// The first known failure in order.
        failure: Failure,
        /// The sequence of a cancel that was requested, too.
        cancel: Option<u64>,
    },
    /// A cancel stops the run.
    Cancelling {
        /// The sequence at which the cancel was requested.
        cancel: u64,
    },
    /// The frontier became empty.
    Succeeded,
    /// The run failed.
    Failed {
        /// The failure.
        failure: Failure,
        /// The sequence of a cancel that was requested, too.
        cancel: Option<u64>,
    },
    /// The run was cancelled.
    Cancelled {
        /// The sequence at which the cancel was requested.
        cancel: u64,
    },
}

impl Phase {
    /// Returns whether the run is failing or cancelling.
    #[must_use]
    pub const fn is_stopping(&self) -> bool {
        matches!(self, Self::Failing { .. } | Self::Cancelling { .. })
    }

    /// Returns whether the run has ended.
    #[must_use]
    pub const fn is_terminal(&self) -> bool {
        matches!(
            self,
            Self::Succeeded | Self::Failed { .. } | Self::Cancelled { .. }
        )
    }

    /// Returns the failure that stops or ended the run.
    #[must_use]
    pub const fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failing { failure, .. } | Self::Failed { failure, .. } => Some(failure),
            _ => None,
        }
    }

    /// Returns the sequence of the accepted cancel.
    #[must_use]
    pub const fn cancel(&self) -> Option<u64> {
        match self {
            Self::Failing { cancel, .. } | Self::Failed { cancel, .. } => *cancel,
            Self::Cancelling { cancel } | Self::Cancelled { cancel } => Some(*cancel),
            _ => None,
        }
    }
}

/// Whether new work may begin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Admission {
    /// It may.
    Background,
    /// The run is paused.
    Prepared,
    /// An action halted the run.
    Halted {
        /// The node of the action.
        node: NodeId,
        /// Its result.
        result: Arc<Value>,
    },
}

/// An activation whose edges are evaluated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// The activation.
    pub activation: Arc<Activation>,
    /// Its result.
    pub result: Arc<Value>,
}

/// The end of one complete activation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The node.
    pub node: NodeId,
    /// Its action ordinal.
    pub ordinal: u64,
    /// Its result.
    pub result: Arc<Value>,
}

/// The last complete activation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The node.
    pub node: NodeId,
    /// Its action ordinal.
    pub ordinal: u64,
}
