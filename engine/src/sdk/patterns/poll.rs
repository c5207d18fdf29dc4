//! Waiting for something outside that sends no message.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::sdk::StepFn;
use crate::{Context, FrameError};

impl Context {
    /// Runs `step_body` as a step again and again, `every` so often, until it returns a value; `None`
    /// if it has returned none for `timeout`, or longer by one attempt. Its frames are named below
    /// `name`. An attempt that fails is retried, as that of any step.
    ///
    /// No process has to run between two attempts. Each costs a step, a timer and a resume.
    ///
    /// ```
    /// use millpond::prelude::*;
    ///
    /// async fn export(ctx: Context, job: String) -> Result<String, Failed> {
    ///     let (minute, day) = (Duration::from_secs(60), Duration::from_secs(24 * 60 * 60));
    ///     let url = ctx.poll_until("ready", minute, day, move || {
    ///         let job = job.clone();
    ///         async move { Ok::<_, StepError>((job != "new").then(|| format!("/exports/{job}"))) }
    ///     });
    ///     url.await?.ok_or_else(|| Failed::new("Late", "the export has taken more than a day"))
    /// }
    /// # let _ = millpond::sdk::erase_fn(export);
    /// ```
    ///
    /// # Errors
    /// [`FrameError`] if the step fails, and after cancellation.
    pub async fn poll_until<T, M>(
        &self,
        name: &str,
        every: Duration,
        timeout: Duration,
        step_body: impl StepFn<M, Option<T>> + Clone,
    ) -> Result<Option<T>, FrameError>
    where
        T: Serialize + DeserializeOwned + 'static,
    {
        let ctx = self.scope(name);
        // The end of time is later than any other.
        let end = ctx.now().checked_add(timeout).ok();
        loop {
            if let Some(value) = ctx.step("poll", step_body.clone()).await? {
                return Ok(Some(value));
            }
            let next = ctx.now().checked_add(every).ok();
            if end.is_some_and(|end| next.is_none_or(|next| next > end)) {
                return Ok(None);
            }
            ctx.sleep(every).await?;
        }
    }
}
