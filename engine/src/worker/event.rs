//! Events that a worker reports to its observer.

use jiff::Timestamp;

use crate::domain::{ExecutionId, Queue};
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
    /// A poll listed the mail of a queue, or a page of it.
    FoundMail {
        /// The queue.
        queue: Queue,
        /// When the oldest message of the page was stored, by the store's clock.
        oldest: Option<Timestamp>,
    },
    /// A poll listed the timers, or a page of them.
    FoundTimers {
        /// The instant of the earliest timer that is due.
        earliest: Option<Timestamp>,
    },
    /// A poll for causes failed; it is retried. Reported once per outage.
    PollFailing(String),
    /// Polls for causes succeed again.
    PollRecovered,
}
