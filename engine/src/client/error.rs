//! Errors of the engine's calls.

use crate::domain::{Blocked, ExecutionId, InvalidName, Queue, Status, Text, ValueError, Workflow};
use crate::journal::CommitError;
use crate::ports::BucketError;
use crate::retention::RetentionError;
use crate::run::RunError;
use crate::stored::LoadError;

/// Why a call to an [`Engine`](super::Engine) failed.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A name is invalid.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// A value cannot be stored, or could not be read back.
    #[error("value refused")]
    Value(#[from] ValueError),
    /// The input does not match the workflow's input type.
    #[error("the input does not fit {workflow}, which takes {takes}")]
    Input {
        /// The workflow.
        workflow: Workflow,
        /// The Rust type of its input; its schema contains the details.
        takes: &'static str,
        /// The mismatch.
        source: ValueError,
    },
    /// The workflow declares its channels, and this is none of them.
    #[error("{workflow} has no channel {channel:?}; its channels: {known}")]
    UnknownChannel {
        /// The workflow.
        workflow: Workflow,
        /// The channel given.
        channel: String,
        /// The declared channels.
        known: String,
    },
    /// The message does not match the type that the workflow declares for its channel.
    #[error("the message does not fit channel {channel:?} of {workflow}, which takes {takes}")]
    Message {
        /// The workflow.
        workflow: Workflow,
        /// The channel.
        channel: String,
        /// The Rust type of its messages.
        takes: &'static str,
        /// The mismatch.
        source: ValueError,
    },
    /// A value exceeds the hard cap.
    #[error("value too large: bytes={bytes}, max={most}")]
    PayloadTooLarge {
        /// Its size.
        bytes: usize,
        /// The cap.
        most: usize,
    },
    /// No worker of the deployment serves the queue ([`Settings::queues`]).
    ///
    /// [`Settings::queues`]: crate::settings::Settings::queues
    #[error("no worker of this deployment serves the queue {queue}; served: {served}")]
    UnknownQueue {
        /// The queue.
        queue: Queue,
        /// The queues that are served.
        served: String,
    },
    /// The application does not contain this workflow, or not in this version.
    #[error("no workflow {workflow:?}{}; known: {known}", .version.as_ref().map(|v| format!(" in version {v:?}")).unwrap_or_default())]
    UnknownWorkflow {
        /// The name given.
        workflow: String,
        /// The version given.
        version: Option<String>,
        /// The registered workflows.
        known: String,
    },
    /// There is no such execution.
    #[error("no execution {eid}")]
    UnknownExecution {
        /// The id given.
        eid: ExecutionId,
    },
    /// The execution is over and accepts no messages.
    #[error("execution {eid} is over{}: status={status}", .next.map(|next| format!("; its key has started {next} since")).unwrap_or_default())]
    TerminalExecution {
        /// The id.
        eid: ExecutionId,
        /// How it ended.
        status: Status,
        /// The newest execution of its key, if the key was started again since.
        next: Option<ExecutionId>,
    },
    /// A retry is for an execution that failed or is blocked, or, from a frame, for one that waits.
    #[error("execution {eid} is {status}: only a failed or blocked execution is retried{}", match .status {
        Status::Suspended => ", unless a frame is named",
        Status::Archived => ", and not once it is archived",
        _ => "",
    })]
    NotRetried {
        /// The id.
        eid: ExecutionId,
        /// Its status.
        status: Status,
    },
    /// Only an execution that has ended is deleted.
    #[error("execution {eid} is {status}: cancel it first")]
    NotEnded {
        /// The id.
        eid: ExecutionId,
        /// Its status.
        status: Status,
    },
    /// The execution was deleted, with its archive.
    #[error("execution {eid} was deleted by {by}")]
    Deleted {
        /// The id.
        eid: ExecutionId,
        /// The actor that deleted it.
        by: String,
    },
    /// The execution has entries that the caller has not seen.
    #[error("execution {eid} has changed: its newest entry is {found}, not {expected}")]
    StaleFence {
        /// The id.
        eid: ExecutionId,
        /// The newest entry that the caller has seen.
        expected: u64,
        /// Its newest entry.
        found: u64,
    },
    /// The execution has changed since the caller read it.
    #[error("execution {eid} has changed meanwhile")]
    Changed {
        /// The id.
        eid: ExecutionId,
    },
    /// The journal has no entry of this number.
    #[error("the journal of {eid} has no entry {at}: entries={entries}, numbered from 0")]
    NoEntry {
        /// The id.
        eid: ExecutionId,
        /// The number given.
        at: u64,
        /// The number of entries.
        entries: u64,
    },
    /// The journal does not fit the code of this application: a run would park the execution.
    #[error("the journal of {eid} does not fit this build of {workflow}@{version}: {why}")]
    Misfit {
        /// The id.
        eid: ExecutionId,
        /// Its workflow.
        workflow: Workflow,
        /// Its version.
        version: String,
        /// What does not fit.
        why: Box<Blocked>,
    },
    /// Other starters of a key that is free were faster, several times.
    #[error("concurrent starts with the key {key:?} came first, several times; start it again")]
    Contended {
        /// The key.
        key: Text,
    },
    /// The execution did not end in the time given.
    #[error("execution {eid} has not ended yet: status={status}")]
    NotYet {
        /// The id.
        eid: ExecutionId,
        /// Its current status.
        status: Status,
    },
    /// It is unknown whether the key's next execution was recorded.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// An object could not be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The store failed.
    #[error(transparent)]
    Bucket(#[from] BucketError),
    /// The effects of its end could not be dispatched.
    #[error(transparent)]
    Run(#[from] RunError),
    /// What it leaves could not be deleted, or the feed does not report it yet.
    #[error(transparent)]
    Retention(#[from] RetentionError),
}

/// What a caller can do about an [`EngineError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Change the request: it is invalid.
    Invalid,
    /// The requested object does not exist.
    NotFound,
    /// The object exists, and its state does not permit the call.
    Conflict,
    /// Retry later.
    NotYet,
    /// The store failed, or an object in it is broken.
    Storage,
}

impl EngineError {
    /// Returns what a caller can do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Name(_)
            | Self::Value(_)
            | Self::Input { .. }
            | Self::UnknownChannel { .. }
            | Self::Message { .. }
            | Self::UnknownQueue { .. }
            | Self::NoEntry { .. }
            | Self::PayloadTooLarge { .. } => ErrorKind::Invalid,
            Self::UnknownWorkflow { .. } | Self::UnknownExecution { .. } => ErrorKind::NotFound,
            Self::TerminalExecution { .. }
            | Self::NotRetried { .. }
            | Self::NotEnded { .. }
            | Self::Changed { .. }
            | Self::Deleted { .. }
            | Self::Misfit { .. }
            | Self::StaleFence { .. } => ErrorKind::Conflict,
            Self::NotYet { .. } | Self::Contended { .. } => ErrorKind::NotYet,
            Self::Commit(_)
            | Self::Load(_)
            | Self::Bucket(_)
            | Self::Run(_)
            | Self::Retention(_) => ErrorKind::Storage,
        }
    }
}
