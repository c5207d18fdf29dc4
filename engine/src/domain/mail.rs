//! Messages that make executions run.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::failure::{MAX_MESSAGE, cut};
use super::{
    Channel, ExecutionId, Failure, FrameId, MessageId, Payload, Provenance, Record, RetryRequest,
    is_first,
};

/// The object under `mail/{queue}/{sh}/{eid}/{class}.{name}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mail {
    /// The version of this form. A reader rejects a newer one by name.
    pub format: u32,
    /// The id, as in the key.
    pub mid: MessageId,
    /// The sender.
    pub from: Provenance,
    /// The instant of sending, by the sender's clock. Messages are absorbed in this order.
    pub sent_at: Timestamp,
    /// Identifies the call that sent it, if it has a key that other calls may use as well. So a caller
    /// never takes another's message for its own (A22).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nonce: Option<String>,
    /// The content.
    pub body: Body,
}

impl Mail {
    /// The version of the form that this release writes.
    pub const FORMAT: u32 = 1;

    /// Creates a message in the current form.
    #[must_use]
    pub fn new(mid: MessageId, from: Provenance, sent_at: Timestamp, body: Body) -> Self {
        Self {
            format: Self::FORMAT,
            mid,
            from,
            sent_at,
            nonce: None,
            body,
        }
    }

    /// Identifies the call that sends it.
    #[must_use]
    pub(crate) fn with_nonce(mut self, nonce: Option<String>) -> Self {
        self.nonce = nonce;
        self
    }
}

/// The content of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// The execution starts: a run that finds no head creates it from this record. The journal
    /// omits the record, because the head contains it.
    Start(Option<Box<Record>>),
    /// A message on a channel.
    Message {
        /// The channel.
        channel: Channel,
        /// The value.
        payload: Payload,
    },
    /// The child of `frame` ended.
    Child {
        /// The frame that started it.
        fid: FrameId,
        /// The id of the child: a frame takes only the result of the child that it waits for.
        eid: ExecutionId,
        /// The generation of the child that ended.
        #[serde(default, skip_serializing_if = "is_first")]
        generation: u32,
        /// The result of the child.
        outcome: Result<Payload, Failure>,
    },
    /// A command of an operator.
    Control(Control),
    /// A run used up its time; the next one continues.
    Slice,
    /// The object could not be read as mail. Its text is preserved, cut at 1 KiB; it parks the
    /// execution.
    Unreadable {
        /// The object's key.
        key: String,
        /// The content of the object.
        text: String,
    },
}

/// A command of an operator (or a parent).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case")]
pub enum Control {
    /// Cancels the execution: open frames yield `Cancelled`, and clean-up code runs.
    Cancel {
        /// The reason, for the journal.
        reason: String,
    },
    /// Ends the execution without running its code.
    Terminate {
        /// The reason, for the journal.
        reason: String,
    },
    /// Pauses the execution.
    Pause {
        /// The reason, for the journal.
        reason: String,
    },
    /// Begins a failed or blocked execution again, from the failure or from an earlier frame.
    Retry(RetryRequest),
    /// Resumes the execution: lifts a pause and a block, resets the crash count.
    Resume {
        /// The number of requests a day that it may make from now on, if that changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget: Option<u64>,
    },
}

impl Control {
    /// Cuts the reason at 8 KiB, with a mark, because the head stores it.
    #[must_use]
    pub fn cut(mut self) -> Self {
        match &mut self {
            Self::Cancel { reason }
            | Self::Terminate { reason }
            | Self::Pause { reason }
            | Self::Retry(RetryRequest { reason, .. }) => {
                *reason = cut(std::mem::take(reason), MAX_MESSAGE);
            }
            Self::Resume { .. } => {}
        }
        self
    }
}
