//! The failures of an invocation.

use std::time::Duration;

/// Why an invocation has no response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// All instances are busy, and no more are permitted.
    #[error("rate exceeded: function={function}, instances={limit}")]
    Throttled {
        /// The function.
        function: String,
        /// The maximum number of instances.
        limit: usize,
    },
    /// The function was invoked too often in one chain.
    #[error("the chain of invocations was stopped: function={function}, hops={hops}")]
    Loop {
        /// The function.
        function: String,
        /// Its invocations in the chain.
        hops: u64,
    },
    /// The event exceeds Lambda's limit.
    #[error("the event is larger than 6 MB: bytes={bytes}")]
    EventTooLarge {
        /// Its size.
        bytes: usize,
    },
    /// The process could not be started.
    #[error("the function cannot be started: {why}")]
    Start {
        /// The system's error.
        why: String,
    },
    /// It reported a failed initialization, exited, or took too long before its first `next`.
    #[error("the function did not begin: {kind}: {message}")]
    Init {
        /// The kind of error.
        kind: String,
        /// The message.
        message: String,
    },
    /// It had not responded at its deadline, and was killed.
    #[error("task timed out after {:.2} seconds", after.as_secs_f64())]
    TimedOut {
        /// Its timeout.
        after: Duration,
    },
    /// Its process exited.
    #[error("runtime exited with error: {status}")]
    Exited {
        /// The exit status.
        status: String,
    },
    /// It exceeded its memory limit, and was killed.
    #[error("runtime exited with error: out of memory: used_kb={used_kb}, limit_mb={limit_mb}")]
    OutOfMemory {
        /// The memory used.
        used_kb: u64,
        /// The memory limit.
        limit_mb: u64,
    },
    /// Its response exceeds Lambda's limit.
    #[error("response payload size exceeded maximum allowed payload size: bytes={bytes}")]
    ResponseTooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It returned an error.
    #[error("the function answered with an error: {kind}: {message}")]
    Handled {
        /// The kind of error.
        kind: String,
        /// The message.
        message: String,
    },
}

impl Failure {
    /// Whether the failure ends the process.
    pub(crate) const fn is_end(&self) -> bool {
        match self {
            Self::Start { .. }
            | Self::Init { .. }
            | Self::TimedOut { .. }
            | Self::Exited { .. }
            | Self::OutOfMemory { .. } => true,
            Self::Throttled { .. }
            | Self::Loop { .. }
            | Self::EventTooLarge { .. }
            | Self::ResponseTooLarge { .. }
            | Self::Handled { .. } => false,
        }
    }
}
