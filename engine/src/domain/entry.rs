//! Journal entries: the observations and decisions of an execution, in order.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_variant::to_variant_name;

use super::failure::kind;
use super::{
    Blocked, Body, Channel, Digest, ExecutionId, Failure, FrameId, FrameName, Json, MessageId,
    OnClose, Payload, Provenance, Queue, Workflow,
};

/// The entries that became durable by one compare-and-swap of the head.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Commit {
    /// The commit's number, without gaps from 1: the checkpoint number.
    pub commit: u64,
    /// The number of the first entry, counted over the whole journal.
    pub first: u64,
    /// The instant of the run. It never decreases along a journal.
    pub at: Timestamp,
    /// The worker that wrote the commit, and its code version.
    pub by: Provenance,
    /// The number of frames registered so far; absent if the workflow was not driven up to this
    /// commit. Replay compares it and so detects an added frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<u32>,
    /// The entries.
    pub entries: Vec<Entry>,
}

/// One event in the life of an execution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Entry {
    /// The execution absorbed a message. From then on, replay does not read the mailbox for it.
    #[serde(rename = "message.received")]
    Received {
        /// The message id, absorbed once.
        mid: MessageId,
        /// The instant of sending, by the sender's clock.
        sent_at: Timestamp,
        /// The sender.
        from: Provenance,
        /// Identifies the call that sent it, if its key may be that of other calls.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nonce: Option<String>,
        /// The content.
        body: Body,
    },
    /// The first run began.
    #[serde(rename = "execution.started")]
    Started,
    /// A run ended, and all open frames are waiting.
    #[serde(rename = "execution.suspended")]
    Suspended,
    /// A run resumed the execution after a suspension.
    #[serde(rename = "execution.resumed")]
    Resumed,
    /// An operator paused the execution.
    #[serde(rename = "execution.paused")]
    Paused {
        /// The operator's reason.
        reason: String,
    },
    /// A pause or a block was lifted.
    #[serde(rename = "execution.unpaused")]
    Unpaused,
    /// The engine parked the execution.
    #[serde(rename = "execution.blocked")]
    Blocked(Blocked),
    /// The execution ended with a value.
    #[serde(rename = "execution.completed")]
    Completed {
        /// The value.
        value: Payload,
    },
    /// The execution ended with a failure.
    #[serde(rename = "execution.failed")]
    Failed {
        /// The failure.
        failure: Failure,
    },
    /// The execution ended because it was cancelled or terminated.
    #[serde(rename = "execution.cancelled")]
    Cancelled {
        /// Kind `cancelled` or `terminated`, with the reason.
        failure: Failure,
    },
    /// The work of a frame began: an attempt of a step, or a child.
    #[serde(rename = "frame.started")]
    FrameStarted {
        /// The frame.
        fid: FrameId,
        /// The work that began.
        began: Began,
    },
    /// A step completed with a value.
    #[serde(rename = "frame.completed")]
    FrameCompleted {
        /// The frame.
        fid: FrameId,
        /// The value.
        value: Payload,
    },
    /// A value that a plain call drew: an instant, a uuid, a random number. It is always inline,
    /// because replay reads it before it runs the workflow.
    #[serde(rename = "frame.recorded")]
    FrameRecorded {
        /// The frame.
        fid: FrameId,
        /// The value.
        value: Json,
    },
    /// A frame failed permanently.
    #[serde(rename = "frame.failed")]
    FrameFailed {
        /// The frame.
        fid: FrameId,
        /// The failure.
        failure: Failure,
    },
    /// A frame began to wait.
    #[serde(rename = "frame.suspended")]
    FrameSuspended {
        /// The frame.
        fid: FrameId,
        /// The condition it waits for.
        wait: Wait,
    },
    /// A wait ended.
    #[serde(rename = "frame.fulfilled")]
    FrameFulfilled {
        /// The frame.
        fid: FrameId,
        /// The message that a receive consumed; absent if the deadline passed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mid: Option<MessageId>,
    },
    /// The workflow dropped a frame that it had registered: the loser of a race.
    #[serde(rename = "frame.dropped")]
    FrameDropped {
        /// The frame.
        fid: FrameId,
    },
    /// A message is to be sent to another execution.
    #[serde(rename = "message.sent")]
    Sent {
        /// The frame that sends it.
        fid: FrameId,
        /// The receiving execution.
        to: ExecutionId,
        /// Its channel.
        channel: Channel,
        /// The value.
        payload: Payload,
    },
    /// An event for the feed.
    #[serde(rename = "announce")]
    Announced {
        /// The frame that announces it.
        fid: FrameId,
        /// A name for filters.
        kind: Channel,
        /// The value.
        value: Payload,
    },
    /// The branch that the workflow takes where its code has changed.
    #[serde(rename = "change.versioned")]
    ChangeVersioned {
        /// The name of the change.
        change: FrameName,
        /// The newest version that the code had.
        version: u32,
    },
    /// The run used up its time. A message to the execution itself continues it.
    #[serde(rename = "execution.sliced")]
    Sliced,
    /// This execution ended before one of its children, which is cancelled or terminated.
    #[serde(rename = "child.closed")]
    ChildClosed {
        /// The frame that started it.
        fid: FrameId,
        /// The id of the child.
        eid: ExecutionId,
        /// The queue of the child.
        queue: Queue,
        /// The action taken on it.
        how: OnClose,
    },
}

/// The work that began under a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Began {
    /// An attempt of a step. This entry precedes every effect of the attempt.
    Step {
        /// The number of the attempt, from 1.
        attempt: u32,
        /// The digest of a `call`'s input.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Digest>,
    },
    /// A child execution.
    Child {
        /// The id of the child.
        eid: ExecutionId,
        /// The workflow type of the child.
        workflow: Workflow,
        /// The version of the workflow, decided when the child began.
        version: String,
        /// The queue of the child.
        queue: Queue,
        /// The input of the child.
        args: Payload,
        /// The digest of the input's canonical form.
        input: Digest,
        /// True if the frame waits for the result.
        waits: bool,
        /// The action taken on the child if this execution ends first.
        on_close: OnClose,
    },
}

/// The condition that a frame waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wait {
    /// A sleep.
    Sleep {
        /// The instant of its end.
        due: Timestamp,
    },
    /// A message.
    Message {
        /// The channel.
        channel: Channel,
        /// The deadline; none if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        due: Option<Timestamp>,
    },
    /// The next attempt of a step.
    Retry {
        /// The attempt that failed.
        attempt: u32,
        /// The instant at which the next attempt begins.
        due: Timestamp,
        /// The failure of that attempt.
        failure: Failure,
        /// Whether the attempt vanished with its worker, which has a separate limit.
        #[serde(default, skip_serializing_if = "Lost::is_no")]
        lost: Lost,
    },
}

/// Whether an attempt vanished with its worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lost(pub bool);

impl Lost {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    fn is_no(&self) -> bool {
        !self.0
    }
}

/// The value of an entry, by reference or by mutable reference like `$entry`.
macro_rules! payload {
    ($entry:expr) => {
        match $entry {
            Entry::Received {
                body: Body::Message { payload, .. },
                ..
            }
            | Entry::Received {
                body:
                    Body::Child {
                        outcome: Ok(payload),
                        ..
                    },
                ..
            }
            | Entry::Completed { value: payload }
            | Entry::FrameCompleted { value: payload, .. }
            | Entry::FrameStarted {
                began: Began::Child { args: payload, .. },
                ..
            }
            | Entry::Sent { payload, .. }
            | Entry::Announced { value: payload, .. } => Some(payload),
            _ => None,
        }
    };
}

impl Entry {
    /// Returns the value of the entry, if it has one.
    #[must_use]
    pub fn payload(&self) -> Option<&Payload> {
        payload!(self)
    }

    /// Returns the value mutably, so that a large one can be replaced by a reference to its blob.
    pub(crate) fn payload_mut(&mut self) -> Option<&mut Payload> {
        payload!(self)
    }

    /// Returns the kind, as in the stored form.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        to_variant_name(self).expect("an entry is a variant of an enum")
    }

    /// Returns the name of the change in the life of its execution, for logs and people; `None` if
    /// the entry is of a message or of a frame.
    #[must_use]
    pub fn lifecycle(&self) -> Option<&'static str> {
        Some(match self {
            Self::Started => "started",
            Self::Resumed => "resumed",
            Self::Suspended => "suspended",
            Self::Sliced => "handed on",
            Self::Paused { .. } => "paused",
            Self::Unpaused => "unpaused",
            Self::Blocked(_) => "blocked",
            Self::Completed { .. } => "completed",
            Self::Failed { .. } => "failed",
            Self::Cancelled { failure } if failure.kind == kind::TERMINATED => "terminated",
            Self::Cancelled { .. } => "cancelled",
            Self::Received { .. }
            | Self::FrameStarted { .. }
            | Self::FrameCompleted { .. }
            | Self::FrameRecorded { .. }
            | Self::FrameFailed { .. }
            | Self::FrameSuspended { .. }
            | Self::FrameFulfilled { .. }
            | Self::FrameDropped { .. }
            | Self::Sent { .. }
            | Self::Announced { .. }
            | Self::ChangeVersioned { .. }
            | Self::ChildClosed { .. } => return None,
        })
    }

    /// Returns whether the entry ends its execution.
    #[must_use]
    pub fn is_end(&self) -> bool {
        matches!(
            self,
            Self::Completed { .. } | Self::Failed { .. } | Self::Cancelled { .. }
        )
    }

    /// Returns the frame that the entry belongs to.
    #[must_use]
    pub fn fid(&self) -> Option<&FrameId> {
        match self {
            Self::FrameStarted { fid, .. }
            | Self::FrameCompleted { fid, .. }
            | Self::FrameRecorded { fid, .. }
            | Self::FrameFailed { fid, .. }
            | Self::FrameSuspended { fid, .. }
            | Self::FrameFulfilled { fid, .. }
            | Self::FrameDropped { fid }
            | Self::Sent { fid, .. }
            | Self::Announced { fid, .. }
            | Self::ChildClosed { fid, .. } => Some(fid),
            Self::Received { .. }
            | Self::Started
            | Self::Suspended
            | Self::Resumed
            | Self::Paused { .. }
            | Self::Unpaused
            | Self::Blocked(_)
            | Self::Completed { .. }
            | Self::Failed { .. }
            | Self::Cancelled { .. }
            | Self::ChangeVersioned { .. }
            | Self::Sliced => None,
        }
    }
}
