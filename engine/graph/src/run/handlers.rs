//! The handlers of actions, by name.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use millpond::domain::{ExecutionId, Failure};
use millpond::{Attempt, StepError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::definition::{Name, NodeId, Revision};

/// The kind of a failure that a handler returned. Failures of other kinds are the engine's.
pub(super) const HANDLER: &str = "handler";

/// What the handler of an action receives.
#[derive(Debug, Clone)]
pub struct Call {
    /// The values of `with`.
    pub input: Map<String, Value>,
    /// The run and its place in it.
    pub place: Place,
    /// The attempt as the engine makes it: its idempotency key, its deadline and its cancellation.
    /// An attempt that was lost with its worker is made again under the same key.
    pub step: Attempt,
}

/// Where in a run an attempt is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The definition.
    pub definition: Name,
    /// Its revision.
    pub revision: Revision,
    /// The run.
    pub run: ExecutionId,
    /// The run that started this one as a child.
    pub parent: Option<ExecutionId>,
    /// The sequence of the last barrier.
    pub base: u64,
    /// The action ordinal that the activation will get.
    pub ordinal: u64,
    /// The node.
    pub node: NodeId,
    /// The number of the attempt, from 1.
    pub attempt: u64,
}

/// What the handler of an action returns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The result of the node, from which `target` and `writes` take their values.
    pub result: Value,
    /// The run halts after the barrier that takes the result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub halt: bool,
}

impl Answer {
    /// An answer that halts the run.
    #[must_use]
    pub const fn halt(result: Value) -> Self {
        Self { result, halt: true }
    }
}

impl From<Value> for Answer {
    fn from(result: Value) -> Self {
        Self {
            result,
            halt: false,
        }
    }
}

pub(super) type Handler =
    Arc<dyn Fn(Call) -> BoxFuture<'static, Result<Answer, StepError>> + Send + Sync>;

/// The handlers of an application.
///
/// ```
/// use millpond::StepError;
/// use millpond_graph::run::{Call, Handlers};
/// use serde_json::json;
///
/// let handlers = Handlers::new().on("mail.send", |call: Call| async move {
///     let text = call.input.get("text").and_then(|text| text.as_str()).unwrap_or_default();
///     Ok::<_, StepError>(json!({"sent": text.len()}))
/// });
/// # let _ = handlers;
/// ```
#[derive(Clone, Default)]
pub struct Handlers(BTreeMap<String, Handler>);

impl Handlers {
    /// No handlers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the handler of a name, or replaces it. An error is followed by another attempt if the
    /// policy of the node permits one and the error is not terminal.
    #[must_use]
    pub fn on<F, Fut, T, E>(mut self, name: &str, handler: F) -> Self
    where
        F: Fn(Call) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        T: Into<Answer>,
        E: Into<StepError>,
    {
        let erased = move |call| {
            let answer = handler(call);
            answer
                .map(|given| given.map(Into::into).map_err(own))
                .boxed()
        };
        self.0.insert(name.to_owned(), Arc::new(erased));
        self
    }

    pub(super) fn get(&self, name: &Name) -> Option<&Handler> {
        self.0.get(name.as_str())
    }
}

/// Marks an error as the handler's, so that none of its kinds is taken for one of the engine's.
fn own(error: impl Into<StepError>) -> StepError {
    let failure = Failure::from(error.into());
    let own = StepError::new(HANDLER, failure.to_string());
    if failure.terminal {
        own.terminal()
    } else {
        own
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
