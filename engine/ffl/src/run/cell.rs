//! What other text can refer to of a step.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt as _;
use futures::channel::oneshot;
use futures::future::Shared;

use super::Fault;
use crate::value::Value;

/// Values by name.
pub(super) type Object = BTreeMap<Arc<str>, Value>;

/// The values that a step has so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    /// The objects of its signature's mixins.
    pub(super) aliases: Object,
    pub(super) returns: Object,
    pub(super) params: Arc<Object>,
    /// In its catch, and after it.
    pub(super) error: Option<Arc<Fault>>,
}

impl Values {
    /// `step.name`
    pub(super) fn get(&self, name: &str) -> Option<Value> {
        let named = self.aliases.get(name).or_else(|| self.returns.get(name));
        let named = named.or_else(|| self.params.get(name)).cloned();
        named.or_else(|| error_value(self.error.as_deref()?, name))
    }
}

/// `error` and `error_type`.
pub(super) fn error_value(fault: &Fault, name: &str) -> Option<Value> {
    match name {
        "error" => Some(Value::String(Arc::clone(&fault.message))),
        "error_type" => Some(Value::String(Arc::clone(&fault.kind))),
        _ => None,
    }
}

/// How a step ended. One that never began ends with the error that prevented it.
pub(super) type End = Result<(), Fault>;

/// A step: its values, and its end, which others wait for.
#[derive(Debug)]
pub(super) struct Cell {
    values: Mutex<Arc<Values>>,
    sender: Mutex<Option<oneshot::Sender<End>>>,
    end: Shared<oneshot::Receiver<End>>,
}

impl Cell {
    pub(super) fn new() -> Self {
        let (sender, receiver) = oneshot::channel();
        Self {
            values: Mutex::default(),
            sender: Mutex::new(Some(sender)),
            end: receiver.shared(),
        }
    }

    pub(super) fn values(&self) -> Arc<Values> {
        Arc::clone(&lock(&self.values))
    }

    pub(super) fn publish(&self, values: Values) {
        *lock(&self.values) = Arc::new(values);
    }

    /// Wakes what waits for the step. A second end counts for nothing.
    pub(super) fn finish(&self, end: End) {
        if let Some(sender) = lock(&self.sender).take() {
            // Often nothing waits for the step.
            let _ = sender.send(end);
        }
    }

    /// Waits for the end. The error is that of the step.
    pub(super) async fn ended(&self) -> End {
        match self.end.clone().await {
            Ok(end) => end,
            // The sender is in this cell, and is dropped only after it has sent.
            Err(oneshot::Canceled) => std::future::pending().await,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
