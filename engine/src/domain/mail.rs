//! Messages that wake executions.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::failure::{MAX_MESSAGE, cut};
use super::{Channel, Failure, FrameId, MessageId, Payload, Provenance, Record};

/// The object under `mail/{queue}/{sh}/{eid}/{mid}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mail {
    /// Version of this form; a reader refuses a newer one by name.
    pub format: u32,
    /// The id, as in the key.
    pub mid: MessageId,
    /// Who sends it.
    pub from: Provenance,
    /// When, by the sender's clock. Absorbed in this order.
    pub sent_at: Timestamp,
    /// What it says.
    pub body: Body,
}

impl Mail {
    /// The form written today.
    pub const FORMAT: u32 = 1;

    /// A message in the form written today.
    #[must_use]
    pub fn new(mid: MessageId, from: Provenance, sent_at: Timestamp, body: Body) -> Self {
        Self {
            format: Self::FORMAT,
            mid,
            from,
            sent_at,
            body,
        }
    }
}

/// What a message says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// The execution is to begin: whoever finds no head creates it from this. The record is
    /// left out in the journal, since the head holds it.
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
        /// How.
        outcome: Result<Payload, Failure>,
    },
    /// An operator's word.
    Control(Control),
    /// A run was out of time; go on.
    Slice,
    /// The object could not be read as mail. Kept as it is, cut at 1 KiB; parks the execution.
    Unreadable {
        /// The object's key.
        key: String,
        /// What was found there.
        text: String,
    },
}

/// What an operator (or a parent) may say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case")]
pub enum Control {
    /// Ask it to stop: open frames yield `Cancelled`, clean-up runs.
    Cancel {
        /// Why, for the journal.
        reason: String,
    },
    /// End it without running its code.
    Terminate {
        /// Why, for the journal.
        reason: String,
    },
    /// Stop driving it.
    Pause {
        /// Why, for the journal.
        reason: String,
    },
    /// Drive it again: lifts a pause and a block, expires the crashes.
    Resume,
}

impl Control {
    /// The same with its reason cut at 8 KiB, with a mark: it stands in a head.
    #[must_use]
    pub fn cut(mut self) -> Self {
        match &mut self {
            Self::Cancel { reason } | Self::Terminate { reason } | Self::Pause { reason } => {
                *reason = cut(std::mem::take(reason), MAX_MESSAGE);
            }
            Self::Resume => {}
        }
        self
    }
}
