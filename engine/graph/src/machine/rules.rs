//! What the machine needs of expressions, reducers and schemas.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::definition::{NodeId, StateKey};
use crate::program::{Begin, Finished, NodeError, Program};
use crate::state::{Contribution, Refusal, State, StateError};

/// Expressions, reducers and schemas of one definition. All are pure.
///
/// [`Program`] has them; a test may have simpler ones.
pub trait Rules {
    /// Computes what a node asks for, on the state of the barrier.
    ///
    /// # Errors
    /// [`NodeError`] if its own expressions fail.
    fn begin(&self, node: &NodeId, state: &State) -> Result<Begin, NodeError>;

    /// Returns whether the condition of an edge is true.
    ///
    /// # Errors
    /// [`NodeError`] if the condition fails.
    fn condition(&self, edge: usize, state: &State, result: &Value) -> Result<bool, NodeError>;

    /// Applies contributions in order, key by key, and validates the new state.
    ///
    /// # Errors
    /// [`Refusal`] with the node that contributed last to the key.
    fn reduce(&self, state: &State, given: Vec<Contribution>) -> Result<State, Refusal>;

    /// Validates the answer to an `input` node, and returns what it contributes.
    ///
    /// # Errors
    /// [`NodeError`] with the first violation.
    fn answer(&self, node: &NodeId, value: Value) -> Result<Finished, NodeError>;

    /// Validates a value that a decision gives for a key of the state.
    ///
    /// # Errors
    /// [`StateError`] with the violation.
    fn contribution(&self, key: &StateKey, value: &Value) -> Result<(), StateError>;
}

impl<R: Rules + ?Sized> Rules for Arc<R> {
    fn begin(&self, node: &NodeId, state: &State) -> Result<Begin, NodeError> {
        (**self).begin(node, state)
    }

    fn condition(&self, edge: usize, state: &State, result: &Value) -> Result<bool, NodeError> {
        (**self).condition(edge, state, result)
    }

    fn reduce(&self, state: &State, given: Vec<Contribution>) -> Result<State, Refusal> {
        (**self).reduce(state, given)
    }

    fn answer(&self, node: &NodeId, value: Value) -> Result<Finished, NodeError> {
        (**self).answer(node, value)
    }

    fn contribution(&self, key: &StateKey, value: &Value) -> Result<(), StateError> {
        (**self).contribution(key, value)
    }
}

impl Rules for Program {
    fn begin(&self, node: &NodeId, state: &State) -> Result<Begin, NodeError> {
        Self::begin(self, node, state)
    }

    fn condition(&self, edge: usize, state: &State, result: &Value) -> Result<bool, NodeError> {
        Self::condition(self, edge, state, result)
    }

    fn reduce(&self, state: &State, given: Vec<Contribution>) -> Result<State, Refusal> {
        Self::reduce(self, state, given)
    }

    fn answer(&self, node: &NodeId, value: Value) -> Result<Finished, NodeError> {
        Self::answer(self, node, value)
    }

    fn contribution(&self, key: &StateKey, value: &Value) -> Result<(), StateError> {
        Self::contribution(self, key, value)
    }
}

/// What an activation gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Complete {
    /// Values for keys of the state, in order.
    pub contributions: Vec<(StateKey, Value)>,
    /// The result.
    pub result: Arc<Value>,
    /// An action answered `halt`.
    pub halt: bool,
}

impl Complete {
    /// Contributions, and the result `{}`.
    #[must_use]
    pub fn of(contributions: Vec<(StateKey, Value)>) -> Self {
        Self {
            contributions,
            result: Arc::new(Value::Object(serde_json::Map::new())),
            halt: false,
        }
    }
}

impl From<Finished> for Complete {
    fn from(finished: Finished) -> Self {
        Self {
            contributions: finished.contributions,
            result: Arc::new(finished.result),
            halt: false,
        }
    }
}
