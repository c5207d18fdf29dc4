//! The keys of a state, compiled: reducers, schemas, initial values.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::error::{Refusal, StateError};
use super::reduce::{normal, reduce};
use super::schema::{InvalidSchema, Schema, Violation};
use super::size::refuse_large;
use super::values::{State, size_of_state};
use crate::definition::{Definition, NodeId, Reduce, StateKey};
use crate::limits::{Limits, within};
use crate::pointer;

/// A value that a node contributes to a key.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// The node.
    pub node: NodeId,
    /// The key.
    pub key: StateKey,
    /// The value.
    pub value: Value,
}

/// The keys of a definition's state, compiled.
#[derive(Debug, Clone)]
pub struct Shape {
    keys: BTreeMap<StateKey, Key>,
    required: Vec<StateKey>,
    /// Keys that a start may give.
    permitted: BTreeSet<StateKey>,
    limits: Limits,
}

#[derive(Debug, Clone)]
struct Key {
    schema: Option<Schema>,
    reduce: Reduce,
    initial: Option<Value>,
}

impl Shape {
    /// Compiles the keys of a definition.
    ///
    /// # Errors
    /// The key and [`InvalidSchema`], if a schema does not compile.
    pub fn compile(
        definition: &Definition,
        limits: &Limits,
    ) -> Result<Self, (StateKey, InvalidSchema)> {
        let mut keys = BTreeMap::new();
        for (name, spec) in &definition.state {
            let schema = spec.schema.as_ref().map(Schema::compile).transpose();
            let schema = schema.map_err(|error| (name.clone(), error))?;
            let initial = spec.initial.clone().or_else(|| beginning(spec.reduce));
            let initial = initial.map(|value| normal(spec.reduce, value));
            keys.insert(
                name.clone(),
                Key {
                    schema,
                    reduce: spec.reduce,
                    initial,
                },
            );
        }
        let (required, permitted) = match &definition.input {
            None => (Vec::new(), keys.keys().cloned().collect()),
            Some(input) => {
                let both = input
                    .required
                    .iter()
                    .chain(&input.optional)
                    .cloned()
                    .collect();
                (input.required.clone(), both)
            }
        };
        Ok(Self {
            keys,
            required,
            permitted,
            limits: *limits,
        })
    }

    /// Returns the state at the beginning of a run: the input, and the initial values of other keys.
    ///
    /// # Errors
    /// [`StateError`] if a required key is missing, a key is not permitted, a value violates its
    /// schema, or the state is too large.
    pub fn start(&self, input: &Map<String, Value>) -> Result<State, StateError> {
        let given = self.known(input)?;
        if let Some(key) = self.required.iter().find(|key| !given.contains_key(*key)) {
            return Err(StateError::MissingInput { key: key.clone() });
        }
        if let Some(key) = given.keys().find(|key| !self.permitted.contains(*key)) {
            return Err(StateError::NotInput { key: key.clone() });
        }
        self.complete(given)
    }

    /// Returns a whole state that was given from outside, completed by initial values.
    ///
    /// # Errors
    /// [`StateError`] if a key is unknown, a value violates its schema, or the state is too large.
    pub fn whole(&self, values: &Map<String, Value>) -> Result<State, StateError> {
        self.complete(self.known(values)?)
    }

    /// Returns `state` with the values of `overrides` instead of its own, completed by initial values.
    ///
    /// # Errors
    /// [`StateError`] if a key is unknown, a value violates its schema, or the state is too large.
    pub fn overlay(
        &self,
        state: &State,
        overrides: &Map<String, Value>,
    ) -> Result<State, StateError> {
        let mut values = BTreeMap::new();
        for (key, value) in state.iter() {
            if !self.keys.contains_key(key) {
                return Err(StateError::UnknownKey {
                    key: key.to_string(),
                });
            }
            values.insert(key.clone(), value.clone());
        }
        values.extend(self.known(overrides)?);
        self.complete(values)
    }

    /// Returns the state that the next child of a pipeline begins with: what this definition has of
    /// the state of the child before, overlaid with `input`, completed by initial values.
    ///
    /// # Errors
    /// [`StateError`] if a key of `input` is unknown, a value violates its schema, or the state is
    /// too large.
    pub fn hand_on(
        &self,
        previous: &State,
        input: &Map<String, Value>,
    ) -> Result<State, StateError> {
        let kept = previous
            .iter()
            .filter(|(key, _)| self.keys.contains_key(*key));
        let mut values: BTreeMap<_, _> = kept
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        values.extend(self.known(input)?);
        self.complete(values)
    }

    /// Returns the state after the contributions of a superstep, which are in order.
    ///
    /// They are applied key by key. The values of other keys were valid before, so only changed
    /// ones are validated.
    ///
    /// # Errors
    /// [`Refusal`] with the last node that contributed to the key.
    pub fn apply(&self, state: &State, contributions: Vec<Contribution>) -> Result<State, Refusal> {
        let mut by_key: BTreeMap<StateKey, (NodeId, Vec<Value>)> = BTreeMap::new();
        let mut last = None;
        for Contribution { node, key, value } in contributions {
            last = Some(node.clone());
            let entry = by_key
                .entry(key)
                .or_insert_with(|| (node.clone(), Vec::new()));
            entry.0 = node;
            entry.1.push(value);
        }
        let Some(last) = last else {
            return Ok(state.clone());
        };
        let mut new = state.clone();
        let mut changed = Vec::with_capacity(by_key.len());
        for (key, (node, values)) in by_key {
            let value = self.reduced(&key, new.remove(&key), values);
            let value = value.map_err(|cause| Refusal {
                node: node.clone(),
                cause,
            })?;
            new.insert(key.clone(), value);
            changed.push((key, node));
        }
        for (key, node) in changed {
            let value = new
                .get(key.as_str())
                .expect("the value of the key was just inserted");
            self.check(&key, value)
                .map_err(|cause| Refusal { node, cause })?;
        }
        self.check_size(&new)
            .map_err(|cause| Refusal { node: last, cause })?;
        Ok(new)
    }

    /// Refuses a contribution that a key takes under no circumstances: its size, its type, and, where
    /// one contribution is the whole value, its schema.
    ///
    /// # Errors
    /// [`StateError`] if the key is unknown or never takes the value.
    pub fn accept(&self, key: &StateKey, value: &Value) -> Result<(), StateError> {
        let unknown = || StateError::UnknownKey {
            key: key.to_string(),
        };
        let spec = self.keys.get(key).ok_or_else(unknown)?;
        if spec.reduce == Reduce::Replace {
            return self.check(key, value);
        }
        refuse_large("value", value, self.limits.value, &self.limits).map_err(|source| {
            StateError::Limit {
                key: Some(key.clone()),
                source,
            }
        })?;
        let refused = |source| StateError::Reduce {
            key: key.clone(),
            source,
        };
        reduce(spec.reduce, beginning(spec.reduce), value.clone())
            .map(drop)
            .map_err(refused)
    }

    fn reduced(
        &self,
        key: &StateKey,
        value: Option<Value>,
        given: Vec<Value>,
    ) -> Result<Value, StateError> {
        let spec = self.keys.get(key).ok_or_else(|| StateError::UnknownKey {
            key: key.to_string(),
        })?;
        let mut value = value;
        for contribution in given {
            let refused = |source| StateError::Reduce {
                key: key.clone(),
                source,
            };
            value = Some(reduce(spec.reduce, value, contribution).map_err(refused)?);
        }
        Ok(value.expect("a key is here because something was contributed to it"))
    }

    fn known(&self, values: &Map<String, Value>) -> Result<BTreeMap<StateKey, Value>, StateError> {
        let mut known = BTreeMap::new();
        for (name, value) in values {
            let found = self.keys.get_key_value(name.as_str());
            let (key, _) = found.ok_or_else(|| StateError::UnknownKey { key: name.clone() })?;
            known.insert(key.clone(), value.clone());
        }
        Ok(known)
    }

    fn complete(&self, mut values: BTreeMap<StateKey, Value>) -> Result<State, StateError> {
        let mut state = State::new();
        for (name, spec) in &self.keys {
            let given = values.remove(name).map(|value| normal(spec.reduce, value));
            if let Some(value) = given.or_else(|| spec.initial.clone()) {
                self.check(name, &value)?;
                state.insert(name.clone(), value);
            }
        }
        self.check_size(&state)?;
        Ok(state)
    }

    fn check(&self, key: &StateKey, value: &Value) -> Result<(), StateError> {
        refuse_large("value", value, self.limits.value, &self.limits).map_err(|source| {
            StateError::Limit {
                key: Some(key.clone()),
                source,
            }
        })?;
        let schema = self.keys.get(key).and_then(|spec| spec.schema.as_ref());
        schema
            .map_or(Ok(()), |schema| schema.validate(value))
            .map_err(|violation: Violation| {
                let path = pointer::field("", key.as_str()) + &violation.path;
                StateError::Violation {
                    key: key.clone(),
                    path,
                    violation,
                }
            })
    }

    fn check_size(&self, state: &State) -> Result<(), StateError> {
        within("state", size_of_state(state), self.limits.state)
            .map_err(|source| StateError::Limit { key: None, source })
    }
}

/// The value of a key without `initial`; nothing if the key begins absent.
pub(crate) fn beginning(reduce: Reduce) -> Option<Value> {
    match reduce {
        Reduce::Append | Reduce::Concat | Reduce::Set => Some(Value::Array(Vec::new())),
        Reduce::Merge => Some(Value::Object(Map::new())),
        Reduce::Sum => Some(Value::from(0)),
        Reduce::Replace | Reduce::Max | Reduce::Min => None,
    }
}
