//! Checked patterns.

use serde::Deserialize;
use serde_json::Value;

use super::compile::{PatternError, compile};
use super::node::Node;
use crate::events::parse;

/// A checked pattern.
///
/// ```
/// use millpond_functions::triggers::Pattern;
/// use serde_json::json;
///
/// let pattern = Pattern::new(&json!({"detail": {"amount": [{"numeric": [">", 100]}]}})).unwrap();
/// assert!(pattern.matches(&json!({"detail": {"amount": 250}})));
/// let why = pattern.mismatch(&json!({"detail": {"amount": 7}})).unwrap();
/// assert_eq!(why, "detail.amount is 7, not a number > 100");
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Value")]
pub struct Pattern(pub(super) Node);

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// [`PatternError`] names the path and what would be valid there.
    pub fn new(pattern: &Value) -> Result<Self, PatternError> {
        compile(pattern).map(Self)
    }

    /// Whether `event` matches.
    #[must_use]
    pub fn matches(&self, event: &Value) -> bool {
        self.mismatch(event).is_none()
    }

    /// The first mismatch of `event`, described in words; `None` if it matches.
    #[must_use]
    pub fn mismatch(&self, event: &Value) -> Option<String> {
        self.0.mismatch(event, &mut Vec::new())
    }
}

/// A table; or text with JSON, the form in which AWS's own tools show patterns.
impl TryFrom<Value> for Pattern {
    type Error = PatternError;

    fn try_from(pattern: Value) -> Result<Self, PatternError> {
        let Value::String(text) = pattern else {
            return Self::new(&pattern);
        };
        let pattern = parse(&text).map_err(|error| PatternError {
            at: String::new(),
            why: format!("the text is not JSON: {error}"),
        })?;
        Self::new(&pattern)
    }
}
