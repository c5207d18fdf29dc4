//! Why a node fails in its own expressions or in what it got.

use crate::category::Category;
use crate::express::EvaluateError;
use crate::limits::LimitExceeded;
use crate::state::{MissingPath, StateError, Violation};

/// Why a node fails before it begins, or on what it got.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NodeError {
    /// An expression or a template failed.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// A bound is exceeded.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    /// A value violates its schema.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// A value does not fit its key.
    #[error(transparent)]
    State(#[from] StateError),
    /// A reduction has no source.
    #[error(transparent)]
    Path(#[from] MissingPath),
    /// The result of an action lacks a field that is written to the state.
    #[error(
        "the result has no field that `writes` names; return it or remove it there: field={field:?}"
    )]
    MissingField {
        /// The field.
        field: String,
    },
    /// An agent gave no structured output.
    #[error("the agent gave no structured output")]
    NoStructuredOutput,
    /// A task of a computed list has not the form of one.
    #[error("an element of the list of tasks is not a task: {message}: index={index}")]
    Task {
        /// Its place.
        index: usize,
        /// What is wrong.
        message: String,
    },
    /// Two tasks of one list have the same key.
    #[error("two tasks of the list have the same key: key={key}")]
    RepeatedKey {
        /// The key.
        key: String,
    },
    /// A computed value is not an id.
    #[error("the expression gives no id: {message}")]
    Id {
        /// What is wrong.
        message: String,
    },
    /// A computed value is not an instant.
    #[error("the expression gives no instant; give one as in 2026-01-31T09:00:00Z: got={text:?}")]
    Instant {
        /// The value, cut after 100 characters.
        text: String,
    },
    /// Two states of a pipeline or a map do not match what was asked.
    #[error(
        "the number of final states is not that of the children: states={states}, children={children}"
    )]
    States {
        /// The states.
        states: usize,
        /// The children.
        children: usize,
    },
}

impl NodeError {
    /// Returns the category of the failure.
    #[must_use]
    pub const fn category(&self) -> Category {
        match self {
            Self::Evaluate(error) => error.category(),
            Self::Limit(_) => Category::Limit,
            Self::State(StateError::Limit { .. }) => Category::Limit,
            Self::NoStructuredOutput => Category::Agent,
            Self::States { .. } => Category::Execution,
            Self::Violation(_)
            | Self::State(_)
            | Self::Path(_)
            | Self::MissingField { .. }
            | Self::Task { .. }
            | Self::RepeatedKey { .. }
            | Self::Id { .. }
            | Self::Instant { .. } => Category::Evaluation,
        }
    }
}
