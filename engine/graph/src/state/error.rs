//! Why a state is refused.

use super::reduce::ReduceError;
use super::schema::Violation;
use crate::category::Category;
use crate::definition::{NodeId, StateKey};
use crate::limits::LimitExceeded;

/// Why values are not a state, or not an input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// The definition has no such key.
    #[error("the state has no such key: key={key:?}")]
    UnknownKey {
        /// The key as given.
        key: String,
    },
    /// The key exists, and a start does not give it.
    #[error("the key is not among the input keys of the definition: key={key}")]
    NotInput {
        /// The key.
        key: StateKey,
    },
    /// A required key is not given.
    #[error("a required input key is missing: key={key}")]
    MissingInput {
        /// The key.
        key: StateKey,
    },
    /// A value violates its schema.
    #[error("a value violates the schema of its key: {} : path={path:?}", violation.message)]
    Violation {
        /// The key.
        key: StateKey,
        /// The JSON Pointer of the first part that violates it, from the state on.
        path: String,
        /// What is violated.
        violation: Violation,
    },
    /// A reducer refuses a contribution.
    #[error("the contribution to a key is refused: {source}: key={key}")]
    Reduce {
        /// The key.
        key: StateKey,
        /// Why.
        source: ReduceError,
    },
    /// A value or the whole state is too large.
    #[error("a state is too large: {source}: key={}", key.as_ref().map_or("", StateKey::as_str))]
    Limit {
        /// The key of the value; nothing for the whole state.
        key: Option<StateKey>,
        /// The bound.
        source: LimitExceeded,
    },
}

impl StateError {
    /// Returns the category of the failure that it causes at a barrier.
    #[must_use]
    pub const fn category(&self) -> Category {
        match self {
            Self::UnknownKey { .. } | Self::NotInput { .. } | Self::MissingInput { .. } => {
                Category::Evaluation
            }
            Self::Reduce { .. } => Category::Evaluation,
            Self::Violation { .. } => Category::State,
            Self::Limit { .. } => Category::Limit,
        }
    }
}

/// Contributions that are refused at a barrier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{cause}: node={node}")]
pub struct Refusal {
    /// The last node that contributed to the key.
    pub node: NodeId,
    /// Why.
    #[source]
    pub cause: StateError,
}
