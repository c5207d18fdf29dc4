//! Why a run began, and how it ended.

use jiff::Timestamp;

use crate::domain::{Queue, Status, Workflow};
use crate::journal::CommitError;
use crate::keys::Key;
use crate::outbox::DispatchError;
use crate::stored::LoadError;

/// The causes of a run.
#[derive(Debug, Clone)]
pub struct Causes {
    /// The queue in which a message was found, or that a timer names.
    pub queue: Queue,
    /// Keys of the mail found. They are hints: the run lists the mailbox itself.
    pub mail: Vec<Key>,
    /// Keys of the timers that are due. A timer proves that its instant has passed.
    pub timers: Vec<Key>,
    /// How often these causes led to a run without effect.
    pub deliveries: u32,
    /// Whether the mail is a possible duplicate: it is reported for the first time, by a queue
    /// that delivers late or more than once. The run then reads it after the head; if none of it
    /// exists, an earlier run processed it, and this run ends: 2 G, no P. Never set on a
    /// redelivery after a failed run: that run may have left more than its causes.
    pub possible_duplicate: bool,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// Everything waits. Contains the earliest deadline, if any.
    Suspended(Option<Timestamp>),
    /// The execution is over.
    Terminal(Status),
    /// The execution is paused or blocked until an operator resumes it.
    Parked(Status),
    /// Another run holds the lease until this instant, or has ended the execution and may delete its mail
    /// until then.
    Held(Timestamp),
    /// The head of the execution is missing: it was lost. The causes stay, and the audit reports it.
    Orphan,
    /// The causes were processed by an earlier run, and were deleted.
    Stale,
    /// Only messages wait that the execution does not take, since too many others are unread. They stay.
    Full,
    /// This run was asked to stop, and mailed the remaining work to the execution itself.
    Sliced,
    /// This build does not contain the workflow. The run changed nothing.
    Unregistered(Workflow, String),
    /// A newer build wrote entries that this one cannot replay. The run changed nothing.
    NewerCode(String),
    /// Another run committed first.
    Lost,
    /// Workflow code did not return in time, or spun. Contains the crash count.
    Stalled(u32),
    /// There is more work: run the execution again.
    Again,
}

/// Why a run could not continue. Nothing is lost: its causes remain.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An object could not be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A commit failed, or its outcome is unknown.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// An effect could not be performed.
    #[error("dispatching failed")]
    Dispatch(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl From<DispatchError> for RunError {
    fn from(error: DispatchError) -> Self {
        Self::Dispatch(error.into())
    }
}

impl From<crate::ports::BucketError> for RunError {
    fn from(error: crate::ports::BucketError) -> Self {
        Self::Load(error.into())
    }
}

impl RunError {
    /// Returns the store's error, if that is the cause.
    pub(crate) fn bucket(&self) -> Option<&crate::ports::BucketError> {
        match self {
            Self::Load(LoadError::Bucket(error)) | Self::Commit(CommitError::Bucket(error)) => {
                Some(error)
            }
            Self::Dispatch(source) => source.downcast_ref::<DispatchError>()?.bucket(),
            Self::Load(_) | Self::Commit(_) => None,
        }
    }

    /// Returns whether the error is in objects of this execution, not in the store.
    #[must_use]
    pub(crate) fn is_of_the_execution(&self) -> bool {
        match self {
            Self::Load(error) => !matches!(error, LoadError::Bucket(_)),
            Self::Commit(_) | Self::Dispatch(_) => false,
        }
    }
}
