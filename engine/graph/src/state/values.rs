//! The values of a state.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::size::size;
use crate::definition::StateKey;

/// The values of a state by their keys. A key that was never written is absent.
pub type State = BTreeMap<StateKey, Value>;

/// Returns a state as a JSON object.
#[must_use]
pub fn to_object(state: &State) -> Map<String, Value> {
    state
        .iter()
        .map(|(key, value)| (key.to_string(), value.clone()))
        .collect()
}

/// Returns the size of the canonical form of a state in bytes.
#[must_use]
pub fn size_of_state(state: &State) -> usize {
    // Braces, and for each key its quotes and its colon; a comma between each two.
    let fields = state
        .iter()
        .map(|(key, value)| key.as_str().len() + 3 + size(value));
    2 + fields.sum::<usize>() + state.len().saturating_sub(1)
}
