//! What a command needs of the bucket.

/// What a command needs of the bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Creates the bucket on first use, where it is a file. Commands that only read must not: a
    /// mistyped path would become an empty bucket.
    pub(crate) create: bool,
    /// Runs executions: receives notifications from other processes.
    pub(crate) notifications: bool,
    /// Reads a bucket that is one file completely first, and rejects a damaged one.
    pub(crate) check: bool,
    /// Runs for a long time: outages of the store are reported and retried.
    pub(crate) retries: bool,
}

impl Needs {
    /// One look at a bucket that exists, or one change to it.
    pub(crate) const ONE_SHOT: Self = Self {
        create: false,
        notifications: false,
        check: false,
        retries: false,
    };
    /// All that a worker needs.
    pub(crate) const WORKER: Self = Self {
        create: true,
        notifications: true,
        check: true,
        retries: true,
    };
}
