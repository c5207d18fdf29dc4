//! What a command is.
//!
//! A new command is a file with `Args` that implement [`Run`], its `mod` line, and its line in the
//! table of `args.rs`.

use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::invocation::Invocation;
use super::needs::Needs;

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
        // Boxed: the futures of all commands are large together.
        let context = Box::pin(CommandContext::open(invocation, C::NEEDS)).await?;
        Box::pin(self.run(&context)).await
    }
}
