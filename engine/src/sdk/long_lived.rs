//! What executions need that outlive a journal, a failure or a deployment.

use serde::Serialize;

use super::context::encode;
use super::{Context, Failed, FrameError, WaitForRetry};
use crate::domain::FrameName;

impl Context {
    /// Begins the workflow anew with this input, in the same execution: what a workflow without an
    /// end returns now and then, so that its journal does not grow. The type of the result is that
    /// of the workflow.
    ///
    /// The execution keeps its id, its mailbox and the messages that were not consumed. Everything
    /// else ends as if the workflow had returned: open frames are dropped, and each child is treated
    /// as its [`on_close`](crate::sdk::Child::on_close) specifies. A pause stays in force, and a cancel that
    /// the workflow did not receive reaches the next generation. A workflow that continues several
    /// times without consuming a message, an outcome or a deadline is blocked. Costs no request.
    ///
    /// ```
    /// use millpond::prelude::*;
    ///
    /// async fn counter(ctx: Context, total: u64) -> Result<u64, Failed> {
    ///     match ctx.receive::<u64>("add").await? {
    ///         0 => Ok(total),
    ///         n => ctx.continue_as_new(&(total + n)),
    ///     }
    /// }
    /// # let _ = millpond::sdk::erase_fn(counter);
    /// ```
    ///
    /// # Errors
    /// Always: the workflow must return it, by `return` or by `?`. One that returns anything else
    /// after this call is blocked. If the value is invalid or too large, the error says so, and
    /// nothing continues.
    pub fn continue_as_new<T>(&self, input: &(impl Serialize + ?Sized)) -> Result<T, Failed> {
        self.table()
            .continue_with(encode("continue_as_new", input)?)?;
        Err(Failed::continued())
    }

    /// The generation of the execution: the number of times that it was continued or retried.
    #[must_use]
    pub fn generation(&self) -> u32 {
        self.table().generation()
    }

    /// Waits until an operator retries the execution ([`Engine::retry`](crate::client::Engine::retry)),
    /// and yields who retried it, and why. A retry makes a part of the journal void, so this is ready at
    /// the point up to which the journal is kept; without a retry it never is. It is no frame, and a
    /// workflow that waits for nothing else is blocked.
    pub fn retried(&self) -> WaitForRetry {
        WaitForRetry::new(self.table().clone())
    }

    /// The version of a change of the code: which branch this execution takes. `max` is the newest
    /// version, and 0 is the code before the change.
    ///
    /// An execution that has passed this point with code that did not make the call gets 0. Any other
    /// gets `max`, and keeps it: the first call decides the version of a change for the execution.
    /// Recorded; needs no waiting. If the version that it keeps is above `max`, the execution is
    /// blocked until a build with that version is deployed.
    ///
    /// ```
    /// use millpond::prelude::*;
    ///
    /// async fn send(ctx: Context, order: u64) -> Result<(), Failed> {
    ///     if ctx.version("check-address", 1)? == 1 {
    ///         ctx.step("check", || async { Ok::<_, StepError>(()) }).await?;
    ///     }
    ///     Ok(ctx.step("send", || async { Ok::<_, StepError>(()) }).await?)
    /// }
    /// # let _ = millpond::sdk::erase_fn(send);
    /// ```
    ///
    /// # Errors
    /// [`FrameError`] if the name (that of a frame) is invalid, and outside of the workflow.
    pub fn version(&self, change: &str, max: u32) -> Result<u32, FrameError> {
        self.table().version(FrameName::parse(change)?, max)
    }
}
