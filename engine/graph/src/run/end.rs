//! How a run ends as an execution.

use millpond::Failed;
use millpond::domain::kind;
use serde_json::{Map, Value};

use crate::machine::{Checkpoint, Phase};
use crate::state::to_object;

/// The final state, or the failure: its kind is the category.
pub(super) type Ended = Result<Map<String, Value>, Failed>;

/// Returns how the run has ended, if it has.
pub(super) fn end(checkpoint: &Checkpoint) -> Option<Ended> {
    match &checkpoint.phase {
        Phase::Succeeded => Some(Ok(to_object(&checkpoint.state))),
        Phase::Failed { failure, .. } => {
            let (category, message) = (failure.category.name(), failure.to_string());
            Some(Err(Failed::new(category, message)))
        }
        Phase::Cancelled { cancel } => {
            let message = format!("the run was cancelled: sequence={cancel}");
            Some(Err(Failed::new(kind::CANCELLED, message)))
        }
        Phase::Routing { .. }
        | Phase::Active
        | Phase::Failing { .. }
        | Phase::Cancelling { .. } => None,
    }
}

/// A failure without a node: of the admission, or of a bug.
pub(super) fn failed(category: crate::Category, error: impl std::fmt::Display) -> Failed {
    Failed::new(category.name(), error.to_string())
}
