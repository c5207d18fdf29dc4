//! The wake-up port: hints that an execution may have work.

use std::fmt;

use async_trait::async_trait;
use jiff::Timestamp;

use crate::domain::{ExecutionId, Queue};
use crate::keys::Key;

/// A hint that `eid` may have work. The bucket decides; a lost or doubled hint costs at most
/// one poll interval or one cheap run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The queue the execution lives in.
    pub queue: Queue,
    /// The execution.
    pub eid: ExecutionId,
    /// The mail or timer key that was just written.
    pub cause: Key,
    /// When the execution will have work: a timer's deadline. `None`: now.
    pub at: Option<Timestamp>,
}

/// Carries hints from whoever writes a cause to whoever runs executions.
#[async_trait]
pub trait Wakeups: fmt::Debug + Send + Sync + 'static {
    /// Passes a hint on, once; failure is silent, since hints are only hints. One that is for
    /// later ([`Hint::at`]) is passed on at its time by who can, and dropped by who cannot: whoever
    /// lists the timers finds it.
    async fn ring(&self, hint: Hint);

    /// The next hint for one of `queues`; pending for ever where hints come another way.
    async fn next(&self, queues: &[Queue]) -> Hint;
}
