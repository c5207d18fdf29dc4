//! Ids and names of a definition: texts that match a fixed pattern.

use std::fmt;
use std::sync::Arc;

/// A text that does not match the pattern of its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid {what}: it does not match {pattern}: got={got:?}")]
pub struct InvalidId {
    /// What the text was to be, for example `node id`.
    pub what: &'static str,
    /// The pattern that it does not match.
    pub pattern: &'static str,
    /// The text as given, cut after 100 characters.
    pub got: String,
}

fn plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

macro_rules! id {
    ($(#[$doc:meta])* $type:ident, $what:literal, $pattern:literal, $max:literal, $test:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $type(Arc<str>);

        impl $type {
            /// The pattern that every such text matches.
            pub const PATTERN: &'static str = $pattern;

            /// Checks `text` against the pattern.
            ///
            /// # Errors
            /// [`InvalidId`] with the pattern.
            pub fn parse(text: &str) -> Result<Self, InvalidId> {
                let test: fn(&str) -> bool = $test;
                if !text.is_empty() && text.len() <= $max && test(text) {
                    return Ok(Self(text.into()));
                }
                let got = text.chars().take(100).collect();
                Err(InvalidId { what: $what, pattern: $pattern, got })
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

        impl std::borrow::Borrow<str> for $type {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl std::str::FromStr for $type {
            type Err = InvalidId;
            fn from_str(text: &str) -> Result<Self, InvalidId> {
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
                let text = String::deserialize(deserializer)?;
                Self::parse(&text).map_err(serde::de::Error::custom)
            }
        }
    };
}

id!(
    /// The id of a definition, an agent, a handler or a queue.
    Name, "name", "^[A-Za-z0-9._-]{1,128}$", 128,
    |text| text.bytes().all(|byte| plain(byte) || byte == b'-' || byte == b'.')
);
id!(
    /// The id of a node, unique within its definition.
    NodeId, "node id", "^[A-Za-z0-9_-]{1,64}$", 64,
    |text| text.bytes().all(|byte| plain(byte) || byte == b'-')
);
id!(
    /// The key of a task of a `map`, unique within its list.
    TaskKey, "task key", "^[A-Za-z0-9_-]{1,64}$", 64,
    |text| text.bytes().all(|byte| plain(byte) || byte == b'-')
);
id!(
    /// A key of the state.
    StateKey, "state key", "^[A-Za-z_][A-Za-z0-9_]{0,63}$", 64,
    |text| text.bytes().all(plain) && !text.starts_with(|first: char| first.is_ascii_digit())
);
id!(
    /// The sha256 of the canonical form of a definition, as 64 hexadecimal digits.
    Revision, "revision", "^[0-9a-f]{64}$", 64,
    |text| text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
);
