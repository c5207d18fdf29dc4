//! Something about the store that needs somebody.

use serde::Serialize;

/// A finding about the store, not about an execution in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Concern {
    /// Its name, as in docs/operations.md.
    pub(super) finding: &'static str,
    /// What was found.
    pub(super) why: String,
    /// What to do about it.
    pub(super) advice: String,
}

impl Concern {
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
