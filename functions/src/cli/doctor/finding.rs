//! A finding about the store.

use serde::Serialize;

/// A finding about the store, not about an execution in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct StoreFinding {
    /// Its kind, as in docs/operations.md.
    pub(super) finding: &'static str,
    /// What was found.
    pub(super) why: String,
    /// What to do about it.
    pub(super) advice: String,
}

impl StoreFinding {
    pub(super) fn new(
        finding: &'static str,
        why: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            finding,
            why: why.into(),
            advice: advice.into(),
        }
    }
}
