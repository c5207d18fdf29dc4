//! The values that expressions read, converted once.

use std::cell::{RefCell, RefMut};
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use cel::Context;
use serde_json::Value;

use super::convert::{object, to_cel};
use super::lower::{Reads, key_variable, test_variable};
use super::meter::Meter;
use super::parse::ENV;
use crate::state::State;

/// The values that an expression may read.
///
/// A key of the state is converted when the first expression reads it, and kept for the others of the
/// same scope: otherwise a map of 100,000 elements would convert a large key 100,000 times.
#[derive(Clone)]
pub struct Scope<'a> {
    state: &'a State,
    result: Option<&'a Value>,
    item: Option<(&'a Value, usize)>,
    session: Rc<RefCell<Session>>,
}

/// What the evaluations of a scope share.
pub(super) struct Session {
    context: Context<'static, 'static>,
    loaded: BTreeSet<String>,
    pub(super) meter: Arc<Meter>,
}

impl<'a> Scope<'a> {
    /// A scope with the state only.
    #[must_use]
    pub fn of(state: &'a State) -> Self {
        let mut context = Context::with_env(Arc::clone(&ENV));
        let meter = Meter::new();
        meter.attach(&mut context);
        let session = Session {
            context,
            loaded: BTreeSet::new(),
            meter,
        };
        Self {
            state,
            result: None,
            item: None,
            session: Rc::new(RefCell::new(session)),
        }
    }

    /// The same scope with the result of the source of an edge.
    #[must_use]
    pub fn with_result(&self, result: &'a Value) -> Self {
        Self {
            result: Some(result),
            ..self.clone()
        }
    }

    /// The same scope with an element of the list of a `map`, and its place.
    #[must_use]
    pub fn with_item(&self, item: &'a Value, index: usize) -> Self {
        Self {
            item: Some((item, index)),
            ..self.clone()
        }
    }

    /// Converts what an expression reads of the state, if that was not done yet.
    pub(super) fn load(&self, reads: &Reads) -> RefMut<'_, Session> {
        let mut session = self.session.borrow_mut();
        for key in &reads.keys {
            if let Some(value) = self.state.get(key.as_str()) {
                session.put(key_variable(key), || to_cel(value));
            }
        }
        for key in &reads.tests {
            session.put(test_variable(key), || {
                self.state.contains_key(key.as_str()).into()
            });
        }
        if reads.whole.contains("state") {
            let fields = self.state.iter().map(|(key, value)| (key.as_str(), value));
            session.put("state".to_owned(), || {
                object(fields.map(|(key, value)| (key, to_cel(value))))
            });
        }
        session
    }

    /// Adds what an expression reads besides the state.
    pub(super) fn bind(&self, reads: &Reads, context: &mut Context<'_, '_>) {
        if let Some(result) = self.result.filter(|_| reads.whole.contains("result")) {
            context.add_variable_from_value("result", to_cel(result));
        }
        let Some((item, index)) = self.item else {
            return;
        };
        if reads.whole.contains("item") {
            context.add_variable_from_value("item", to_cel(item));
        }
        if reads.whole.contains("index") {
            context.add_variable_from_value("index", i64::try_from(index).unwrap_or(i64::MAX));
        }
    }
}

impl Session {
    fn put(&mut self, variable: String, value: impl FnOnce() -> cel::Value) {
        if !self.loaded.contains(&variable) {
            self.context
                .add_variable_from_value(variable.as_str(), value());
            self.loaded.insert(variable);
        }
    }

    /// Returns a context for one evaluation.
    pub(super) fn context(&self) -> Context<'_, 'static> {
        self.context.new_inner_scope()
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut scope = f.debug_struct("Scope");
        scope
            .field("state", self.state)
            .field("result", &self.result)
            .field("item", &self.item)
            .finish()
    }
}
