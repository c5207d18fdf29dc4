//! Why a run began, and how it ended.

use jiff::Timestamp;

use crate::domain::{Queue, Status, Workflow};
use crate::journal::CommitError;
use crate::keys::Key;
use crate::outbox::DispatchError;
use crate::stored::LoadError;

/// What made somebody look at an execution.
#[derive(Debug, Clone)]
pub struct Causes {
    /// The queue in which a message was seen, or that a timer names.
    pub queue: Queue,
    /// Mail keys seen (hints: the run lists the mailbox itself).
    pub mail: Vec<Key>,
    /// Timer keys that are due: they prove their instant.
    pub timers: Vec<Key>,
    /// How often these causes led to a run without effect.
    pub deliveries: u32,
    /// Whether the mail is a possible duplicate: told of for the first time by a queue that tells twice, or late. It is read
    /// after the head then; if none of it is there, it was served, and the run ends: 2 G, no P. Never for
    /// what is told again since a run has failed: that run may have left more than its causes.
    pub possible_duplicate: bool,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// Everything waits; the earliest deadline, if any.
    Suspended(Option<Timestamp>),
    /// The execution is over.
    Terminal(Status),
    /// It is paused or blocked: an operator's word wakes it.
    Parked(Status),
    /// Another run owns it until then.
    Held(Timestamp),
    /// Causes without an execution; they were deleted.
    Orphan,
    /// Causes that were served before; they were deleted.
    Stale,
    /// This run was told to stop, and mailed the rest to itself.
    Sliced,
    /// This build does not know the workflow: everything was left as it is.
    Unregistered(Workflow, String),
    /// A newer build wrote what this one cannot replay: everything was left as it is.
    NewerCode(String),
    /// Another run's commit came first.
    Lost,
    /// Workflow code did not come to an end in time, or spun: counted.
    Stalled(u32),
    /// There is more to do: look again.
    Again,
}

/// Why a run could not go on. Nothing is lost: its causes stay.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An object could not be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A commit did not happen, or its injection is unknown.
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
    /// What the store answered, if that is why.
    pub(crate) fn bucket(&self) -> Option<&crate::ports::BucketError> {
        match self {
            Self::Load(LoadError::Bucket(error)) | Self::Commit(CommitError::Bucket(error)) => {
                Some(error)
            }
            Self::Dispatch(source) => source.downcast_ref::<DispatchError>()?.bucket(),
            Self::Load(_) | Self::Commit(_) => None,
        }
    }

    /// Whether the trouble lies in objects of this execution, not in the store.
    #[must_use]
    pub fn is_of_the_execution(&self) -> bool {
        match self {
            Self::Load(error) => !matches!(error, LoadError::Bucket(_)),
            Self::Commit(_) | Self::Dispatch(_) => false,
        }
    }
}
