//! Errors of invocations.

/// Why an invocation, or the start of the function, failed.
pub(super) type Failed = Box<dyn std::error::Error + Send + Sync>;
