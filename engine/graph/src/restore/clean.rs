//! Which checkpoints can be copied.

use super::error::RestoreError;
use crate::machine::{Checkpoint, Phase};

/// Checks that nothing of a checkpoint would be lost or done twice by a copy: no controls, nothing
/// staged (except in a failed checkpoint with an ordinal), not cancelling.
///
/// # Errors
/// [`RestoreError::NotClean`] with what is in the way.
pub fn copy_clean(checkpoint: &Checkpoint) -> Result<(), RestoreError> {
    let refuse = |reason| RestoreError::NotClean {
        reason,
        sequence: checkpoint.sequence,
    };
    if !checkpoint.controls.is_empty() {
        return Err(refuse("work is open"));
    }
    if !checkpoint.staged.is_empty() && failed_ordinal(checkpoint).is_none() {
        return Err(refuse("outcomes are staged"));
    }
    if matches!(checkpoint.phase, Phase::Cancelling { .. }) {
        return Err(refuse("the run is cancelling"));
    }
    Ok(())
}

/// Returns the ordinal of the failure that a failing or failed checkpoint holds.
pub(super) fn failed_ordinal(checkpoint: &Checkpoint) -> Option<u64> {
    checkpoint.phase.failure()?.ordinal
}
