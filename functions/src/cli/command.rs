//! What a command is: what it needs of the bucket, and how it runs.
//!
//! A new command is a file with `Args` that implement [`Run`], its `mod` line, and its line in the
//! table of `args.rs`.

use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::invocation::Invocation;

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

/// A command on an open bucket, implemented by its arguments.
pub(crate) trait Run {
    /// How the bucket is opened for it.
    const NEEDS: Needs;

    /// Runs the command.
    ///
    /// # Errors
    /// Why it did not do what was asked.
    async fn run(self, context: &CommandContext) -> Result<Exit, Error>;
}

/// A command as the dispatcher calls it. Only commands that can do without a bucket implement this
/// themselves.
pub(crate) trait Launch {
    /// Opens what the command needs, and runs it.
    ///
    /// # Errors
    /// Why it did not do what was asked.
    async fn launch(self, invocation: Invocation<'_>) -> Result<Exit, Error>;
}

impl<C: Run> Launch for C {
    async fn launch(self, invocation: Invocation<'_>) -> Result<Exit, Error> {
        let context = invocation.open(C::NEEDS).await?;
        // Boxed: the futures of all commands together are large.
        Box::pin(self.run(&context)).await
    }
}
