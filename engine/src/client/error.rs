//! Why a call did not do what was asked.

use crate::domain::{ExecutionId, InvalidName, Status, ValueError, Workflow};
use crate::ports::BucketError;
use crate::stored::LoadError;

/// Why a call to an [`Engine`](super::Engine) failed.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A name breaks its rule.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// A value cannot be stored, or not be read back.
    #[error("value refused")]
    Value(#[from] ValueError),
    /// The input is not what the workflow takes.
    #[error("the input does not fit {workflow}, which takes {takes}")]
    Input {
        /// The workflow.
        workflow: Workflow,
        /// The Rust type of its input; its schema tells more.
        takes: &'static str,
        /// What does not fit.
        source: ValueError,
    },
    /// A value is over the hard cap.
    #[error("value too large: bytes={bytes}, most={most}")]
    PayloadTooLarge {
        /// Its size.
        bytes: usize,
        /// The cap.
        most: usize,
    },
    /// The application does not know this workflow, or not in this version.
    #[error("no workflow {workflow:?}{}; known: {known}", .version.as_ref().map(|v| format!(" in version {v:?}")).unwrap_or_default())]
    UnknownWorkflow {
        /// The name asked for.
        workflow: String,
        /// The version asked for.
        version: Option<String>,
        /// What there is.
        known: String,
    },
    /// There is no such execution.
    #[error("no execution {eid}")]
    UnknownExecution {
        /// The id asked for.
        eid: ExecutionId,
    },
    /// The execution is over; nothing can be said to it.
    #[error("execution {eid} is over: status={status}")]
    TerminalExecution {
        /// The id.
        eid: ExecutionId,
        /// How it ended.
        status: Status,
    },
    /// The execution did not end in the time given.
    #[error("execution {eid} has not ended yet: status={status}")]
    NotYet {
        /// The id.
        eid: ExecutionId,
        /// Where it stands.
        status: Status,
    },
    /// An object could not be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The store failed.
    #[error(transparent)]
    Bucket(#[from] BucketError),
}

/// What a caller can do about an [`EngineError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Ask for something else: the request itself is wrong.
    Invalid,
    /// There is no such thing.
    NotFound,
    /// It is there, and does not allow this.
    Conflict,
    /// Ask again later.
    NotYet,
    /// The store, or an object in it, is in trouble.
    Storage,
}

impl EngineError {
    /// What a caller can do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Name(_) | Self::Value(_) | Self::Input { .. } | Self::PayloadTooLarge { .. } => {
                ErrorKind::Invalid
            }
            Self::UnknownWorkflow { .. } | Self::UnknownExecution { .. } => ErrorKind::NotFound,
            Self::TerminalExecution { .. } => ErrorKind::Conflict,
            Self::NotYet { .. } => ErrorKind::NotYet,
            Self::Load(_) | Self::Bucket(_) => ErrorKind::Storage,
        }
    }
}
