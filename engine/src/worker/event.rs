//! Events that a worker reports to its observer.

use crate::domain::ExecutionId;
use crate::run::Ended;

/// Something a worker did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkerEvent {
    /// A run began.
    Began(ExecutionId),
    /// A run ended.
    Ended(ExecutionId, Ended),
    /// A run failed; it is retried.
    Failed(ExecutionId, String),
    /// A poll for causes failed; it is retried. Reported once per outage.
    PollFailing(String),
    /// Polls for causes succeed again.
    PollRecovered,
}
