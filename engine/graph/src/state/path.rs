//! Paths into a final state: a key, then names of fields and places of elements.

use std::fmt;

use serde_json::Value;

use super::values::State;
use crate::definition::StateKey;

/// A path such as `total`, `lines.first` or `lines.0.price`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    key: StateKey,
    rest: Vec<String>,
}

/// A text that is not a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid path: it is not a state key, followed by names with dots between: got={got:?}")]
pub struct InvalidPath {
    /// The text as given, cut after 100 characters.
    pub got: String,
}

/// A path that leads to no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no value at the path: path={path}, missing={missing:?}")]
pub struct MissingPath {
    /// The path.
    pub path: Path,
    /// The first part of it that is missing.
    pub missing: String,
}

impl Path {
    /// Reads a path.
    ///
    /// # Errors
    /// [`InvalidPath`] if the first part is not a state key, or if a part is empty.
    pub fn parse(text: &str) -> Result<Self, InvalidPath> {
        let invalid = || InvalidPath {
            got: text.chars().take(100).collect(),
        };
        let mut parts = text.split('.');
        let key = StateKey::parse(parts.next().unwrap_or_default()).map_err(|_| invalid())?;
        let rest: Vec<String> = parts.map(str::to_owned).collect();
        if rest.iter().any(String::is_empty) {
            return Err(invalid());
        }
        Ok(Self { key, rest })
    }

    /// Returns the key of the state that the path begins with.
    #[must_use]
    pub const fn key(&self) -> &StateKey {
        &self.key
    }

    /// Returns the value at the path.
    ///
    /// # Errors
    /// [`MissingPath`] with the first part that is missing.
    pub fn find<'a>(&self, state: &'a State) -> Result<&'a Value, MissingPath> {
        let missing = |part: &str| MissingPath {
            path: self.clone(),
            missing: part.to_owned(),
        };
        let mut value = state
            .get(self.key.as_str())
            .ok_or_else(|| missing(self.key.as_str()))?;
        for part in &self.rest {
            let inner = match value {
                Value::Object(fields) => fields.get(part),
                Value::Array(elements) => place(part).and_then(|index| elements.get(index)),
                _ => None,
            };
            value = inner.ok_or_else(|| missing(part))?;
        }
        Ok(value)
    }
}

/// A place is written in one way only: `01` and `+1` are no places.
fn place(part: &str) -> Option<usize> {
    let digits =
        part.bytes().all(|byte| byte.is_ascii_digit()) && (part == "0" || !part.starts_with('0'));
    if digits { part.parse().ok() } else { None }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.key)?;
        self.rest.iter().try_for_each(|part| write!(f, ".{part}"))
    }
}
