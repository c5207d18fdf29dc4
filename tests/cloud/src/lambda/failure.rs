//! How an invocation fails.

use std::time::Duration;

/// Why an invocation has no response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// All instances are busy, and there may be no more.
    #[error("rate exceeded: function={function}, instances={limit}")]
    Throttled {
        /// The function.
        function: String,
        /// How many instances it may have.
        limit: usize,
    },
    /// The event is larger than Lambda takes.
    #[error("the event is larger than 6 MB: bytes={bytes}")]
    EventTooLarge {
        /// Its size.
        bytes: usize,
    },
    /// The process could not be started.
    #[error("the function cannot be started: {why}")]
    Start {
        /// What the system said.
        why: String,
    },
    /// It said itself that it cannot begin, ended, or took too long before its first `next`.
    #[error("the function did not begin: {kind}: {message}")]
    Init {
        /// The kind of error.
        kind: String,
        /// The message.
        message: String,
    },
    /// It had not answered at its deadline, and was killed.
    #[error("task timed out after {:.2} seconds", after.as_secs_f64())]
    TimedOut {
        /// Its time-out.
        after: Duration,
    },
    /// Its process ended.
    #[error("runtime exited with error: {status}")]
    Exited {
        /// How.
        status: String,
    },
    /// It used more memory than it may, and was killed.
    #[error("runtime exited with error: out of memory: used_kb={used_kb}, limit_mb={limit_mb}")]
    OutOfMemory {
        /// What it used.
        used_kb: u64,
        /// What it may use.
        limit_mb: u64,
    },
    /// Its response is larger than Lambda takes.
    #[error("response payload size exceeded maximum allowed payload size: bytes={bytes}")]
    ResponseTooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It answered with an error.
    #[error("the function answered with an error: {kind}: {message}")]
    Handled {
        /// The kind of error.
        kind: String,
        /// The message.
        message: String,
    },
}

impl Failure {
    /// Whether the process is gone with it.
    pub(crate) const fn is_end(&self) -> bool {
        match self {
            Self::Start { .. }
            | Self::Init { .. }
            | Self::TimedOut { .. }
            | Self::Exited { .. }
            | Self::OutOfMemory { .. } => true,
            Self::Throttled { .. }
            | Self::EventTooLarge { .. }
            | Self::ResponseTooLarge { .. }
            | Self::Handled { .. } => false,
        }
    }
}
