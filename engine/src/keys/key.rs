//! Keys and prefixes as checked text.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// The maximum length of a key in bytes that all supported stores accept.
pub const MAX_KEY: usize = 1024;

/// A key that the supported stores would not all accept unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a usable object key: {why}: key={key:?}")]
pub struct InvalidKey {
    /// The rejected text.
    pub key: String,
    /// The broken rule.
    pub why: &'static str,
}

/// The full name of one object.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Arc<str>);

impl Key {
    /// Checks `text` against the rules of this module.
    ///
    /// # Errors
    /// [`InvalidKey`] names the broken rule.
    pub fn parse(text: &str) -> Result<Self, InvalidKey> {
        let refuse = |why| {
            Err(InvalidKey {
                key: text.to_owned(),
                why,
            })
        };
        if text.is_empty() {
            return refuse("empty");
        }
        if text.len() > MAX_KEY {
            return refuse("longer than 1024 bytes");
        }
        if !text.bytes().all(allowed) {
            return refuse("only [A-Za-z0-9/._~-] may be used");
        }
        if text.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return refuse("an empty, `.` or `..` component");
        }
        Ok(Self(text.into()))
    }

    /// Wraps a key that this module built from checked parts.
    pub(super) fn built(text: String) -> Self {
        debug_assert!(Self::parse(&text).is_ok(), "built keys are valid: {text}");
        Self(text.into())
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true if the key starts with `prefix`.
    #[must_use]
    pub fn is_under(&self, prefix: &Prefix) -> bool {
        self.0.starts_with(prefix.as_str())
    }
}

/// Allows a lookup by text in maps keyed by `Key`, because a prefix is not a key. `Key` orders and
/// hashes as its text.
impl Borrow<str> for Key {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl serde::Serialize for Key {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> serde::Deserialize<'de> for Key {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// The beginning of keys: empty (all keys) or whole components ending in `/`, or the first
/// characters of a component.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Prefix(Arc<str>);

impl Prefix {
    /// The prefix of every key.
    #[must_use]
    pub fn all() -> Self {
        Self("".into())
    }

    /// Checks `text` as the beginning of a key.
    ///
    /// # Errors
    /// [`InvalidKey`] if no key can begin with this text.
    pub fn parse(text: &str) -> Result<Self, InvalidKey> {
        if !text.is_empty() {
            // A prefix is valid if one more character makes it a key.
            Key::parse(&format!("{text}x")).map_err(|e| InvalidKey {
                key: text.to_owned(),
                ..e
            })?;
        }
        Ok(Self(text.into()))
    }

    /// Returns the prefix that is this key.
    #[must_use]
    pub(crate) fn of(key: &Key) -> Self {
        Self(key.as_str().into())
    }

    pub(super) fn built(text: String) -> Self {
        debug_assert!(
            Self::parse(&text).is_ok(),
            "built prefixes are valid: {text}"
        );
        Self(text.into())
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}*", self.0)
    }
}

fn allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'~' | b'-')
}
