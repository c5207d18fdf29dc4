//! Why a run cannot be restored.

use crate::definition::NodeId;
use crate::state::StateError;

/// Why a run cannot be restored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// The checkpoint is not copy-clean: a conflict.
    #[error("the checkpoint cannot be copied: {reason}; choose another one: sequence={sequence}")]
    NotClean {
        /// What is in the way.
        reason: &'static str,
        /// The sequence of the checkpoint.
        sequence: u64,
    },
    /// A failed checkpoint has nothing after it.
    #[error("a failed checkpoint can be restored at `at_saved` or `entrypoint` only")]
    AfterFailure,
    /// The barrier does not hold the saved action.
    #[error("the barrier has no such action: ordinal={ordinal}")]
    NoSuchAction {
        /// The ordinal.
        ordinal: u64,
    },
    /// The target lacks a node.
    #[error("the target has no such node: node={node}")]
    NodeGone {
        /// The node.
        node: NodeId,
    },
    /// A join of the source is another kind of node in the target.
    #[error("the node is another kind of join in the target: node={node}")]
    JoinChanged {
        /// The node.
        node: NodeId,
    },
    /// The state does not fit the target.
    #[error(transparent)]
    State(#[from] StateError),
}
