//! Handlers: what does the work of event facets.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;
use millpond::{Attempt, StepError};
use serde_json::Value;

use super::Call;

/// Does the work of event facets.
#[async_trait]
pub trait Handler: fmt::Debug + Send + Sync + 'static {
    /// Runs one attempt. The value is the object of the facet's returns; an error is what a catch
    /// receives: its kind is `error_type`, its message `error`.
    ///
    /// # Errors
    /// Why the call failed.
    async fn handle(&self, attempt: Attempt, call: Call) -> Result<Value, StepError>;
}

/// Handlers by the facets that they handle. A copy shares them.
#[derive(Clone, Debug, Default)]
pub struct Handlers {
    exact: BTreeMap<String, Arc<dyn Handler>>,
    /// By prefix, with its last point; the empty prefix handles every facet.
    prefixes: BTreeMap<String, Arc<dyn Handler>>,
}

/// A name under which no handler can be registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a handler is registered under the name of a facet, `prefix.*` or `*`: got={0:?}")]
pub struct InvalidPattern(pub String);

impl Handlers {
    /// No handlers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a handler for a facet (`ns.Facet`), for all facets of a namespace and those in it
    /// (`ns.*`), or for all facets (`*`). A later handler of one name replaces the earlier one.
    ///
    /// # Errors
    /// [`InvalidPattern`] if `pattern` is neither.
    pub fn register(
        mut self,
        pattern: &str,
        handler: impl Handler,
    ) -> Result<Self, InvalidPattern> {
        let handler: Arc<dyn Handler> = Arc::new(handler);
        let prefix = pattern.strip_suffix('*');
        let is_name = |text: &str| {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            text.split('.')
                .all(|part| !part.is_empty() && part.chars().all(is_word))
        };
        match prefix {
            Some("") => self.prefixes.insert(String::new(), handler),
            Some(prefix) if prefix.strip_suffix('.').is_some_and(is_name) => {
                self.prefixes.insert(prefix.to_owned(), handler)
            }
            None if is_name(pattern) => self.exact.insert(pattern.to_owned(), handler),
            _ => return Err(InvalidPattern(pattern.to_owned())),
        };
        Ok(self)
    }

    /// The same for a closure that takes the parameters.
    ///
    /// # Errors
    /// As [`register`](Self::register).
    pub fn closure<F, Fut, E>(self, pattern: &str, function: F) -> Result<Self, InvalidPattern>
    where
        F: Fn(Call) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, E>> + Send + 'static,
        E: Into<StepError> + 'static,
    {
        self.register(pattern, Closure(function))
    }

    /// The handler of a facet: an exact name first, then the longest prefix.
    #[must_use]
    pub fn find(&self, facet: &str) -> Option<&dyn Handler> {
        let by_prefix = || {
            let ends = facet.match_indices('.').map(|(at, _)| at + 1).rev();
            let mut prefixes = ends.chain([0]).map(|end| &facet[..end]);
            prefixes.find_map(|prefix| self.prefixes.get(prefix))
        };
        self.exact.get(facet).or_else(by_prefix).map(AsRef::as_ref)
    }

    /// Runs one attempt.
    pub(super) async fn run(&self, attempt: Attempt, call: Call) -> Result<Value, StepError> {
        let Some(handler) = self.find(&call.facet) else {
            let message = format!(
                "no handler is registered for the facet: facet={}",
                call.facet
            );
            return Err(StepError::new("NoHandler", message));
        };
        let returns = handler.handle(attempt, call).await?;
        match &returns {
            Value::Object(_) => Ok(returns),
            other => Err(StepError::new(
                "InvalidReturns",
                format!(
                    "a handler returns an object of returns by name, found {}",
                    kind(other)
                ),
            )),
        }
    }
}

fn kind(json: &Value) -> &'static str {
    match json {
        Value::Null => "null",
        Value::Bool(_) => "a Boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

struct Closure<F>(F);

impl<F> fmt::Debug for Closure<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Closure")
    }
}

#[async_trait]
impl<F, Fut, E> Handler for Closure<F>
where
    F: Fn(Call) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Value, E>> + Send + 'static,
    E: Into<StepError> + 'static,
{
    async fn handle(&self, _: Attempt, call: Call) -> Result<Value, StepError> {
        (self.0)(call).await.map_err(Into::into)
    }
}
