//! The values of a state.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::size::size;
use crate::definition::StateKey;

/// The values of a state by their keys. A key that was never written is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct State(BTreeMap<StateKey, Value>);

impl State {
    /// Returns the value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// Returns the keys that have values, with their values, in the order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&StateKey, &Value)> {
        self.0.iter()
    }

    /// Returns the state as a JSON object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        Value::Object(
            self.0
                .iter()
                .map(|(key, value)| (key.to_string(), value.clone()))
                .collect(),
        )
    }

    /// Returns the size of its canonical form in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        // Braces, and for each key its quotes and its colon; a comma between each two.
        let fields = self
            .0
            .iter()
            .map(|(key, value)| key.as_str().len() + 3 + size(value));
        2 + fields.sum::<usize>() + self.0.len().saturating_sub(1)
    }

    pub(super) fn put(&mut self, key: StateKey, value: Value) {
        self.0.insert(key, value);
    }

    pub(super) fn take(&mut self, key: &StateKey) -> Option<Value> {
        self.0.remove(key)
    }
}
