//! What a step was asked to be.

use std::time::Duration;

use super::Retry;

/// The options of a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct StepOptions {
    /// When it is tried again.
    pub(crate) retry: Retry,
    /// How long one attempt may take.
    pub(crate) timeout: Option<Duration>,
    /// It has no effects: its start need not be durable before it runs.
    pub(crate) pure: bool,
    /// It blocks or spins: it needs a thread of its own.
    pub(crate) blocking: bool,
}
