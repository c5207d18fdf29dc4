//! The categories of failures.

use serde::{Deserialize, Serialize};

/// Why a run failed, as a category that programs can act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// A condition, a template, an input, a reduction source or the schema of a value.
    Evaluation,
    /// The reduced state violates its schema.
    State,
    /// An agent failed finally.
    Agent,
    /// An action failed finally.
    Action,
    /// A child failed, was cancelled or could not be started.
    Child,
    /// A lifecycle hook failed.
    Hook,
    /// A panic, a definition that is not usable, or an internal error.
    Execution,
    /// The deadline of a node passed.
    Timeout,
    /// A bound was exceeded.
    Limit,
}

impl Category {
    /// All categories.
    pub const ALL: [Self; 9] = [
        Self::Evaluation,
        Self::State,
        Self::Agent,
        Self::Action,
        Self::Child,
        Self::Hook,
        Self::Execution,
        Self::Timeout,
        Self::Limit,
    ];

    /// Returns the name, as a snapshot shows it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Evaluation => "evaluation",
            Self::State => "state",
            Self::Agent => "agent",
            Self::Action => "action",
            Self::Child => "child",
            Self::Hook => "hook",
            Self::Execution => "execution",
            Self::Timeout => "timeout",
            Self::Limit => "limit",
        }
    }
}
