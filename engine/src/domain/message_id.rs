//! The ids of messages.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

use super::id::Namespace;
use super::{ExecutionId, InvalidName, Text, stamp, unstamp};

/// The class of a message, the first character of its id. A mailbox is listed in this order, so a
/// flood of messages hides neither a command nor a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The start, commands, and the mail with which an execution continues itself.
    Control,
    /// Results of children.
    Result,
    /// Messages on a channel.
    Message,
}

impl Class {
    const ALL: [Self; 3] = [Self::Control, Self::Result, Self::Message];

    const fn digit(self) -> char {
        match self {
            Self::Control => '0',
            Self::Result => '1',
            Self::Message => '2',
        }
    }
}

/// The id of a message, `{class}.{name}`, which makes delivery exactly-once (docs/protocol.md,
/// Mail). The name is that of the decision that sent the message, so the messages of one sender
/// sort in the order in which they were sent, and no two decisions share one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct MessageId(Arc<str>);

impl MessageId {
    fn of(class: Class, name: impl fmt::Display) -> Self {
        Self(format!("{}.{name}", class.digit()).into())
    }

    /// Returns the id of the mail that starts an execution.
    #[must_use]
    pub fn start() -> Self {
        Self::of(Class::Control, "start")
    }

    /// Returns the class of the message.
    pub(crate) fn class(&self) -> Class {
        let mut classes = Class::ALL.into_iter();
        let class = classes.find(|class| self.0.starts_with(class.digit()));
        class.unwrap_or(Class::Message)
    }

    /// Returns whether this is the id of a command, or of the mail with which an execution continues
    /// itself.
    pub(crate) fn is_command(&self) -> bool {
        self.0.starts_with(Class::Control.digit()) && *self != Self::start()
    }

    /// Returns the id of the result that the child `eid` reports at the end of `generation`.
    #[must_use]
    pub fn result(eid: &ExecutionId, generation: u32) -> Self {
        Self::of(Class::Result, format_args!("child.{eid}.{generation}"))
    }

    /// Returns the id of a message on `channel` under the caller's idempotency key.
    #[must_use]
    pub fn keyed(channel: &str, key: &Text) -> Self {
        let parts = [channel.as_bytes(), key.as_str().as_bytes()];
        Self::of(Class::Message, Namespace::Message.id(&parts).hyphenated())
    }

    /// Returns the id of a client's message without a key, which it sends at `at` under a fresh
    /// `id`.
    #[must_use]
    pub fn message(at: Timestamp, id: Uuid) -> Self {
        Self::client(Class::Message, at, id)
    }

    /// Returns the id of an operator's command, which is sent at `at` under a fresh `id`.
    #[must_use]
    pub fn control(at: Timestamp, id: Uuid) -> Self {
        Self::client(Class::Control, at, id)
    }

    fn client(class: Class, at: Timestamp, id: Uuid) -> Self {
        Self::of(class, format_args!("{}-{}", stamp(at), id.hyphenated()))
    }

    /// Returns the id of the mail that `from` sends: `entry` is the number of the journal entry
    /// that decided it, and `at` the instant of its commit.
    #[must_use]
    pub fn sent(class: Class, at: Timestamp, from: &ExecutionId, entry: u64) -> Self {
        let name = format!("{}-{}-{entry:08}", stamp(at), from.hex16());
        Self::of(class, name)
    }

    /// Returns the instant that the id contains: that of its sending, the same in each copy. `None`
    /// for a start, a result, and a message under a key.
    pub(crate) fn instant(&self) -> Option<Timestamp> {
        let name = self.0.get(2..)?;
        let (instant, _) = name.split_once('-')?;
        unstamp(instant)
    }

    /// Checks the text of a message id in a key.
    ///
    /// # Errors
    /// [`InvalidName`] if it has no class, or cannot be one component of a key.
    pub fn parse(text: &str) -> Result<Self, InvalidName> {
        let rule = "`[0-2].[A-Za-z0-9._-]{1,200}`";
        let name = Class::ALL
            .iter()
            .find_map(|class| text.strip_prefix(class.digit())?.strip_prefix('.'));
        let good = name.is_some_and(|name| {
            (1..=200).contains(&name.len())
                && name
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
        });
        if good {
            Ok(Self(text.into()))
        } else {
            Err(InvalidName::new("message id", rule, text))
        }
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
