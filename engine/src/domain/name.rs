//! Names that become part of keys, and texts that never do.

use std::fmt;
use std::sync::Arc;

/// The maximum size in bytes of a free text that a caller chooses as a name.
pub const MAX_TEXT: usize = 1024;

/// A name that breaks its rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid {what}: {rule}: got={got:?}")]
pub struct InvalidName {
    /// The kind of name.
    pub what: &'static str,
    /// The rule.
    pub rule: &'static str,
    /// The rejected text, cut after 100 characters.
    pub got: String,
}

impl InvalidName {
    pub(crate) fn new(what: &'static str, rule: &'static str, got: &str) -> Self {
        Self {
            what,
            rule,
            got: got.chars().take(100).collect(),
        }
    }
}

macro_rules! name {
    ($(#[$doc:meta])* $type:ident, $what:literal, $rule:literal, $test:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $type(Arc<str>);

        impl $type {
            /// Checks `text`.
            ///
            /// # Errors
            /// [`InvalidName`] contains the broken rule.
            pub fn parse(text: &str) -> Result<Self, InvalidName> {
                let test: fn(&str) -> bool = $test;
                if test(text) { Ok(Self(text.into())) } else { Err(InvalidName::new($what, $rule, text)) }
            }

            /// Returns the text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }

        impl std::str::FromStr for $type {
            type Err = InvalidName;
            fn from_str(text: &str) -> Result<Self, InvalidName> {
                Self::parse(text)
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                Self::parse(&text).map_err(serde::de::Error::custom)
            }
        }
    };
}

name! {
    /// The queue of an execution: the place of its mail. Workers serve queues. It never changes
    /// during an execution.
    Queue, "queue name", "`[a-z0-9._-]{1,128}`, not `.` or `..`", |t| lower(t)
}
name! {
    /// The channel on which a workflow receives messages.
    Channel, "channel name", "`[a-z0-9._-]{1,128}`, not `.` or `..`", |t| lower(t)
}
name! {
    /// The name of a workflow type.
    Workflow, "workflow name", "`[A-Za-z0-9._-]{1,128}`, not `.` or `..`", |t| cased(t)
}
name! {
    /// The name or key of a frame: one component of a frame id.
    FrameName, "frame name", "`[A-Za-z0-9_-]{1,128}`", |t| {
        (1..=128).contains(&t.len()) && t.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
    }
}
name! {
    /// Any text of 1 byte to 1 KiB that a caller chooses as a name (dispatch keys, idempotency
    /// keys). It never becomes part of a key unhashed; NFC and NFD are two texts.
    Text, "key text", "1 byte to 1 KiB of text", |t| (1..=MAX_TEXT).contains(&t.len())
}

impl Default for Queue {
    fn default() -> Self {
        Self("default".into())
    }
}

fn lower(text: &str) -> bool {
    cased(text) && !text.bytes().any(|b| b.is_ascii_uppercase())
}

fn cased(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && !matches!(text, "." | "..")
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}
