//! What a worker tells whoever watches it.

use crate::domain::ExecutionId;
use crate::run::Ended;

/// Something a worker did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkerEvent {
    /// A run began.
    Began(ExecutionId),
    /// A run ended.
    Ended(ExecutionId, Ended),
    /// A run could not go on; it is tried again.
    Failed(ExecutionId, String),
    /// Looking for causes failed; it is tried again. Told once, until it succeeds.
    PollFailing(String),
    /// Looking for causes succeeds again.
    PollRecovered,
}
