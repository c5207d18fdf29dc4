//! What an execution is, as decided at its start.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Digest, ExecutionId, FrameId, Payload, Provenance, Queue, Workflow};

/// The part of an execution that never changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its id.
    pub eid: ExecutionId,
    /// The workflow type.
    pub workflow: Workflow,
    /// The version of it that runs this execution.
    pub version: String,
    /// Its input.
    pub args: Payload,
    /// Digest of the input's canonical form: what keyed starts compare.
    pub args_digest: Digest,
    /// Where its mail is put.
    pub queue: Queue,
    /// Who waits for the result, if another execution started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    /// The caller's key, if the start had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch_key: Option<String>,
    /// Who started it.
    pub created_by: Provenance,
    /// When.
    pub created_at: Timestamp,
    /// Not to run before this instant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_at: Option<Timestamp>,
}

/// The execution that started this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parent {
    /// Its id.
    pub eid: ExecutionId,
    /// Its queue.
    pub queue: Queue,
    /// The frame that started this execution.
    pub fid: FrameId,
    /// Whether that frame waits for the result: only then is it mailed.
    pub waits: bool,
}

/// What happens to a child that still runs when its parent ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnClose {
    /// It is asked to stop.
    Cancel,
    /// It goes on.
    Abandon,
    /// It is ended.
    Terminate,
}

/// Where an execution stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Started, not run yet.
    Pending,
    /// A run is at it, or was when it vanished.
    Running,
    /// It waits for a message, a child or a time.
    Suspended,
    /// An operator stopped it for now.
    Paused,
    /// The engine parked it: it needs an operator.
    Blocked,
    /// It ended with a value.
    Completed,
    /// It ended with a failure.
    Failed,
    /// It ended since somebody wanted it to.
    Cancelled,
    /// It ended, and was archived into its archive, which tells how.
    Archived,
}

impl Status {
    /// Whether the execution is over.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Cancelled | Self::Archived => true,
            Self::Pending | Self::Running | Self::Suspended | Self::Paused | Self::Blocked => false,
        }
    }

    /// The word for it, as stored and printed.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Suspended => "suspended",
            Self::Paused => "paused",
            Self::Blocked => "blocked",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Archived => "archived",
        }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}
