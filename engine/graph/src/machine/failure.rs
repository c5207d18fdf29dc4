//! Why a run failed.

use serde::{Deserialize, Serialize};

use crate::Category;
use crate::definition::NodeId;

/// A failure of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind it is.
    pub category: Category,
    /// What happened.
    pub message: String,
    /// The node, if there is one.
    pub node: Option<NodeId>,
    /// The ordinal that the activation would have got. A failure of a barrier, of a condition, of
    /// a hook without a node or of a limit has none, has no place in the order, and cannot be
    /// retried.
    pub ordinal: Option<u64>,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            message,
            node,
            ordinal,
            ..
        } = self;
        f.write_str(message)?;
        if let Some(node) = node {
            write!(f, ": node={node}")?;
        }
        match ordinal {
            Some(ordinal) => write!(f, ", ordinal={ordinal}"),
            None => Ok(()),
        }
    }
}
