//! How a run closes, and why it does not advance.

use jiff::Timestamp;

use super::ended::{Ended, RunError};
use crate::domain::{Blocked, Failure, Json, Status};
use crate::stored::LoadError;

/// How a run closes.
#[derive(Debug)]
pub(super) enum Close {
    /// Everything waits. Contains the earliest deadline.
    Suspend(Option<Timestamp>),
    /// The execution begins at this instant.
    StartLater(Timestamp),
    /// The run was asked to stop while there is more to do.
    HandOver(Option<Timestamp>),
    /// The execution is paused or blocked, or has ended, by an entry that is recorded.
    Park(Status),
    /// The execution cannot continue until an operator resumes it.
    Block(Blocked),
    /// The workflow returned, or the execution was cancelled or terminated.
    End(Result<Json, Failure>),
    /// Workflow code does not come to an end. The lease stays until it expires, with the causes.
    CountCrash,
    /// Nothing is committed, and the causes remain.
    Leave(Ended),
}

/// Why a run does not advance.
#[derive(Debug)]
pub(super) enum Halt {
    Close(Close),
    Failed(RunError),
}

impl From<RunError> for Halt {
    fn from(error: RunError) -> Self {
        Self::Failed(error)
    }
}

impl Halt {
    /// Parks the execution if one of its own objects cannot be read: a retry cannot help, and the
    /// operator needs the key of that object. After any other error the run ends, and is
    /// repeated.
    pub(super) fn unreadable(error: RunError) -> Self {
        match error {
            RunError::Load(error @ (LoadError::Corrupt { .. } | LoadError::Missing { .. })) => {
                Self::Close(Close::Block(unreadable(&error)))
            }
            error => Self::Failed(error),
        }
    }
}

/// Names the object that parks an execution.
pub(super) fn unreadable(error: &LoadError) -> Blocked {
    let (key, message) = match error {
        LoadError::Corrupt { key, why } => (key.to_string(), why.clone()),
        LoadError::Missing { key } => (key.to_string(), "it is not there".to_owned()),
        other => (String::new(), other.to_string()),
    };
    Blocked::Unreadable { key, message }
}
