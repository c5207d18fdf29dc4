//! The categories of failures.

use serde::{Deserialize, Serialize};

/// Why a run failed, as a category that programs can act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
