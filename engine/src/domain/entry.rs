//! Journal entries: the observations and decisions of an execution, in order.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_variant::to_variant_name;

use super::failure::kind;
use super::{
    Began, Blocked, Body, Channel, ExecutionId, Failure, FrameId, FrameName, Json, MessageId,
    OnClose, Payload, Provenance, Queue, Range, Retried, Segment, Wait,
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

impl Commit {
    /// Returns the number of the newest entry that a fence counts (see [`Entry::counts`]).
    #[must_use]
    pub fn newest(&self) -> Option<u64> {
        let counted = self.entries.iter().rposition(Entry::counts);
        counted.map(|at| self.first + at as u64)
    }
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
    /// A retry or a reset began another generation.
    #[serde(rename = "execution.retried")]
    Retried(Retried),
    /// A command did not apply any more when it was absorbed.
    #[serde(rename = "control.refused")]
    Refused {
        /// The command.
        mid: MessageId,
        /// The reason.
        why: String,
    },
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
    /// The workflow continued as new: a part of the journal begins, and replays read no earlier
    /// one.
    #[serde(rename = "execution.continued")]
    Continued {
        /// The generation that begins.
        generation: u32,
        /// The input of the workflow from here on.
        input: Payload,
        /// The entries of earlier parts that it receives first: messages that were not consumed,
        /// and cancels that came after the workflow had returned.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unread: Vec<Range>,
        /// The ids of mail that was absorbed in segments which the head does not list any more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seen: Option<Payload>,
        /// The segments that the head listed up to here: the only path to older parts.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        earlier: Vec<Segment>,
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
    /// A retry of this execution retries a child, and its frame awaits the next result.
    #[serde(rename = "child.retried")]
    ChildRetried {
        /// The frame that started it.
        fid: FrameId,
        /// The id of the child.
        eid: ExecutionId,
        /// The queue of the child.
        queue: Queue,
        /// The generation of the child whose result is awaited.
        generation: u32,
    },
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
            | Entry::Announced { value: payload, .. }
            | Entry::Continued { input: payload, .. } => Some(payload),
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
            Self::Continued { .. } => "continued",
            Self::Paused { .. } => "paused",
            Self::Unpaused => "unpaused",
            Self::Retried(_) => "retried",
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
            | Self::ChildClosed { .. }
            | Self::ChildRetried { .. }
            | Self::Refused { .. } => return None,
        })
    }

    /// Returns whether a fence counts the entry: it is not one that a run adds by itself.
    #[must_use]
    pub fn counts(&self) -> bool {
        !matches!(
            self,
            Self::Suspended | Self::Resumed | Self::Sliced | Self::Refused { .. }
        )
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
            | Self::ChildClosed { fid, .. }
            | Self::ChildRetried { fid, .. } => Some(fid),
            Self::Received { .. }
            | Self::Started
            | Self::Suspended
            | Self::Resumed
            | Self::Paused { .. }
            | Self::Unpaused
            | Self::Blocked(_)
            | Self::Retried(_)
            | Self::Refused { .. }
            | Self::Completed { .. }
            | Self::Failed { .. }
            | Self::Cancelled { .. }
            | Self::Continued { .. }
            | Self::ChangeVersioned { .. }
            | Self::Sliced => None,
        }
    }
}
