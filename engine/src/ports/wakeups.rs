//! The wake-up port: hints that an execution may have work.

use std::fmt;

use async_trait::async_trait;
use jiff::Timestamp;

use crate::domain::{ExecutionId, Queue};
use crate::keys::Key;

/// A hint that `eid` may have work. The bucket is authoritative; a lost or doubled hint costs at
/// most one poll interval or one run without writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The queue of the execution.
    pub queue: Queue,
    /// The execution.
    pub eid: ExecutionId,
    /// The mail or timer key that was just written.
    pub cause: Key,
    /// The instant at which the execution has work: a timer's deadline. `None`: now.
    pub at: Option<Timestamp>,
}

/// Carries hints from the writers of causes to the workers that run executions.
#[async_trait]
pub trait Wakeups: fmt::Debug + Send + Sync + 'static {
    /// Passes a hint on, once. Failures are silent, because hints are optional. A carrier passes on
    /// a delayed hint ([`Hint::at`]) at its instant if it can, and otherwise drops it: the sweeper
    /// lists the timers.
    async fn notify(&self, hint: Hint);

    /// Returns the next hint for one of `queues`; pending forever if hints arrive by another path.
    async fn next(&self, queues: &[Queue]) -> Hint;
}
