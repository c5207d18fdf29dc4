//! The immutable description of an execution, decided at its start.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Depth, Digest, ExecutionId, FrameId, Payload, Provenance, Queue, Workflow};

/// The part of an execution that never changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The id of the execution.
    pub eid: ExecutionId,
    /// The workflow type.
    pub workflow: Workflow,
    /// The version of the workflow that runs this execution.
    pub version: String,
    /// The input.
    pub args: Payload,
    /// The digest of the input's canonical form, which keyed starts compare.
    pub args_digest: Digest,
    /// The queue that receives its mail.
    pub queue: Queue,
    /// The execution that started this one, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    /// How far it is below the root of its tree.
    #[serde(default, skip_serializing_if = "Depth::is_default")]
    pub depth: Depth,
    /// The number of requests a day that it may make, in place of that of the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// The caller's key, if the start had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch_key: Option<String>,
    /// The number of this execution among those of its key, from 0.
    #[serde(default, skip_serializing_if = "is_first")]
    pub n: u32,
    /// Identifies the call that started it: that call is *fresh*, and no other. A child has none,
    /// because only its parent can derive its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nonce: Option<String>,
    /// The actor that started it.
    pub created_by: Provenance,
    /// The instant of the start request.
    pub created_at: Timestamp,
    /// The instant before which it does not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_at: Option<Timestamp>,
}

/// Returns whether a number that counts from 0 is that of the first: its stored form omits it.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub(crate) fn is_first(n: &u32) -> bool {
    *n == 0
}

/// The execution that started this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parent {
    /// The id of the parent.
    pub eid: ExecutionId,
    /// The queue of the parent.
    pub queue: Queue,
    /// The frame that started this execution.
    pub fid: FrameId,
    /// True if that frame waits for the result: the result is mailed only in this case.
    pub waits: bool,
}

/// The action taken on a running child when its parent ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnClose {
    /// The child is cancelled.
    Cancel,
    /// The child continues.
    Abandon,
    /// The child is terminated.
    Terminate,
}

/// The status of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The execution was started and has not run yet.
    Pending,
    /// A run is in progress, or vanished without an end.
    Running,
    /// The execution waits for a message, a child or an instant.
    Suspended,
    /// An operator paused it.
    Paused,
    /// The engine parked it: an operator must act.
    Blocked,
    /// The execution ended with a value.
    Completed,
    /// The execution ended with a failure.
    Failed,
    /// The execution ended because it was cancelled.
    Cancelled,
    /// An operator, or its parent, ended the execution without running its code.
    Terminated,
    /// The execution ended and was archived. The archive contains the outcome.
    Archived,
}

impl Status {
    /// All statuses.
    pub const ALL: [Self; 10] = [
        Self::Pending,
        Self::Running,
        Self::Suspended,
        Self::Paused,
        Self::Blocked,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::Terminated,
        Self::Archived,
    ];

    /// Returns the status of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }

    /// Returns true if the execution has ended.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        match self {
            Self::Completed
            | Self::Failed
            | Self::Cancelled
            | Self::Terminated
            | Self::Archived => true,
            Self::Pending | Self::Running | Self::Suspended | Self::Paused | Self::Blocked => false,
        }
    }

    /// Returns the name of the status, as stored and printed.
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
            Self::Terminated => "terminated",
            Self::Archived => "archived",
        }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}
