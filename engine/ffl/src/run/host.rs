//! What the interpreter needs from outside: the work of event facets, and somebody to watch.

use std::time::Duration;

use futures::future::BoxFuture;
use serde::Serialize;

use super::{Fault, Place};
use crate::states::{ObjectType, State};
use crate::value::Value;

/// One call of an event facet.
#[derive(Clone, Debug, Serialize)]
pub struct Call {
    /// The qualified name of the facet.
    pub facet: String,
    /// The parameters that have a value, by name.
    pub params: Value,
    /// The texts of a prompt facet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Prompt>,
}

/// The texts of a prompt facet, with their placeholders filled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Prompt {
    /// `system`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// `template`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// `model`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// What happens to a step, block or yield, as the interpreter decides it.
#[derive(Clone, Debug)]
pub(crate) enum Event<'e> {
    /// It exists. Nothing is observed of it before.
    Created {
        object: ObjectType,
        /// The name of the step, or the target of the yield.
        name: &'e str,
        /// The qualified name of what it calls.
        facet: Option<&'e str>,
    },
    /// It is in this state.
    Entered(State),
    /// Its parameters.
    Params(&'e Value),
    /// Its returns.
    Returns(&'e Value),
    /// It failed.
    Failed(&'e Fault),
    /// Something that an author should see, and that is no error.
    Note(&'e str),
}

/// Where a program runs.
pub(crate) trait Host: Send + Sync {
    /// Does the work of an event facet, once per place. `silence` is how long an attempt may take
    /// without a sign of life. The value is an object.
    fn transmit(
        &self,
        place: &Place,
        call: Call,
        silence: Duration,
    ) -> BoxFuture<'_, Result<Value, Fault>>;

    /// Watches.
    fn observe(&self, place: &Place, event: Event<'_>);
}
