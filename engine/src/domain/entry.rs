//! Journal entries: what an execution has observed and decided, in order.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_variant::to_variant_name;

use super::{
    Blocked, Body, Channel, Digest, ExecutionId, Failure, FrameId, Json, MessageId, OnClose,
    Payload, Provenance, Queue, Workflow,
};

/// The entries that became durable by one compare-and-swap of the head.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Commit {
    /// The commit's number, without gaps from 1: the checkpoint number.
    pub commit: u64,
    /// Number of the first entry, counted over the whole journal.
    pub first: u64,
    /// The instant of the run. It never decreases along a journal.
    pub at: Timestamp,
    /// The worker that wrote it, and its code.
    pub by: Provenance,
    /// Frames registered so far; absent if the workflow was not driven up to here. Replay
    /// compares it, so that it detects an added frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<u32>,
    /// The entries.
    pub entries: Vec<Entry>,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Entry {
    /// A message of any kind was absorbed: from then on a replay reads no mailbox for it.
    #[serde(rename = "message.received")]
    Received {
        /// The message id: absorbed once.
        mid: MessageId,
        /// When it was sent, by the sender's clock.
        sent_at: Timestamp,
        /// The sender.
        from: Provenance,
        /// The content.
        body: Body,
    },
    /// The first run began.
    #[serde(rename = "execution.started")]
    Started,
    /// A run ended, and all open frames wait.
    #[serde(rename = "execution.suspended")]
    Suspended,
    /// A run went on after a suspension.
    #[serde(rename = "execution.resumed")]
    Resumed,
    /// An operator stopped it for now.
    #[serde(rename = "execution.paused")]
    Paused {
        /// The operator's reason.
        reason: String,
    },
    /// A pause or a block was lifted.
    #[serde(rename = "execution.unpaused")]
    Unpaused,
    /// The engine parked it.
    #[serde(rename = "execution.blocked")]
    Blocked(Blocked),
    /// It ended with a value.
    #[serde(rename = "execution.completed")]
    Completed {
        /// The value.
        value: Payload,
    },
    /// It ended with a failure.
    #[serde(rename = "execution.failed")]
    Failed {
        /// Why.
        failure: Failure,
    },
    /// It ended because it was cancelled or terminated.
    #[serde(rename = "execution.cancelled")]
    Cancelled {
        /// Kind `cancelled` or `terminated`, with the reason.
        failure: Failure,
    },
    /// A frame's work began: an attempt of a step, or a child.
    #[serde(rename = "frame.started")]
    FrameStarted {
        /// The frame.
        fid: FrameId,
        /// What began.
        began: Began,
    },
    /// A step has its value.
    #[serde(rename = "frame.completed")]
    FrameCompleted {
        /// The frame.
        fid: FrameId,
        /// The value.
        value: Payload,
    },
    /// A value that a plain call drew: an instant, a uuid, a random number. Always inline, since
    /// a replay reads it before it runs the workflow.
    #[serde(rename = "frame.recorded")]
    FrameRecorded {
        /// The frame.
        fid: FrameId,
        /// The value.
        value: Json,
    },
    /// A frame failed finally.
    #[serde(rename = "frame.failed")]
    FrameFailed {
        /// The frame.
        fid: FrameId,
        /// Why.
        failure: Failure,
    },
    /// A frame waits.
    #[serde(rename = "frame.suspended")]
    FrameSuspended {
        /// The frame.
        fid: FrameId,
        /// For what.
        wait: Wait,
    },
    /// A wait is over.
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
    /// A message leaves for another execution.
    #[serde(rename = "message.sent")]
    Sent {
        /// The frame that sends.
        fid: FrameId,
        /// The addressee.
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
        /// A name to filter by.
        kind: Channel,
        /// The value.
        value: Payload,
    },
    /// The run was out of time. A message to the execution itself makes it go on.
    #[serde(rename = "execution.sliced")]
    Sliced,
    /// This execution ended before one of its children, which is cancelled or terminated.
    #[serde(rename = "child.closed")]
    ChildClosed {
        /// The frame that started it.
        fid: FrameId,
        /// The child.
        eid: ExecutionId,
        /// Its queue.
        queue: Queue,
        /// What happens to it.
        how: OnClose,
    },
}

/// What began under a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Began {
    /// An attempt of a step. Precedes every effect of that attempt.
    Step {
        /// 1, 2, ...
        attempt: u32,
        /// Digest of a `call`'s input.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Digest>,
    },
    /// A child execution.
    Child {
        /// Its id.
        eid: ExecutionId,
        /// Its type.
        workflow: Workflow,
        /// The version, decided when it began.
        version: String,
        /// Its queue.
        queue: Queue,
        /// Its input.
        args: Payload,
        /// Digest of the input's canonical form.
        input: Digest,
        /// Whether the frame waits for the result.
        waits: bool,
        /// What happens to it when this execution ends first.
        on_close: OnClose,
    },
}

/// What a frame waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wait {
    /// An instant.
    Sleep {
        /// When.
        due: Timestamp,
    },
    /// A message.
    Message {
        /// The channel.
        channel: Channel,
        /// Until when; for ever if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        due: Option<Timestamp>,
    },
    /// The next attempt of a step.
    Retry {
        /// The attempt that failed.
        attempt: u32,
        /// When the next one begins.
        due: Timestamp,
        /// Why it failed.
        failure: Failure,
        /// Whether it vanished with its worker, which has a limit of its own.
        #[serde(default, skip_serializing_if = "Lost::is_no")]
        lost: Lost,
    },
}

/// Whether an attempt ended by vanishing with its worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lost(pub bool);

impl Lost {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    fn is_no(&self) -> bool {
        !self.0
    }
}

/// The value of an entry, by reference or by mutable reference, as `$entry` is.
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
    /// The value it carries, if any.
    #[must_use]
    pub fn payload(&self) -> Option<&Payload> {
        payload!(self)
    }

    /// The same, so that a large value can be replaced by a reference to its blob.
    pub(crate) fn payload_mut(&mut self) -> Option<&mut Payload> {
        payload!(self)
    }

    /// The kind, as in the stored form.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        to_variant_name(self).expect("an entry is a variant of an enum")
    }

    /// The frame it is about.
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
            | Self::Sliced => None,
        }
    }
}
