//! EventBridge Scheduler: it invokes a function with an input that names the tick.

use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::interval;

use crate::lambda::{Failure, Function};

/// A schedule. It ticks on request, or by itself while a [`Ticking`] exists.
#[derive(Debug, Clone)]
pub struct Schedule {
    function: Function,
    input: String,
}

/// A schedule that ticks by itself, until this is dropped.
#[derive(Debug)]
pub struct Ticking(JoinHandle<()>);

impl Schedule {
    /// A schedule with an input, in which `<aws.scheduler.scheduled-time>` is replaced by the tick.
    #[must_use]
    pub fn new(function: Function, input: impl Into<String>) -> Self {
        Self {
            function,
            input: input.into(),
        }
    }

    /// Ticks once, for an instant.
    ///
    /// # Errors
    /// The error of the invocation. The scheduler's own retries are disabled in the deployment: the
    /// next tick serves as a retry.
    pub async fn tick(&self, at: Timestamp) -> Result<Bytes, Failure> {
        // Ticks are on whole seconds.
        let at = Timestamp::from_second(at.as_second()).expect("it was one");
        let input = self
            .input
            .replace("<aws.scheduler.scheduled-time>", &at.to_string());
        self.function.invoke(input).await
    }

    /// Starts to tick now, and then once in each period, whether or not the last tick has ended.
    #[must_use]
    pub fn every(&self, period: Duration) -> Ticking {
        let schedule = self.clone();
        Ticking(tokio::spawn(async move {
            let mut ticks = interval(period);
            let mut work = JoinSet::new();
            loop {
                ticks.tick().await;
                let schedule = schedule.clone();
                work.spawn(async move { schedule.tick(Timestamp::now()).await });
                while work.try_join_next().is_some() {}
            }
        }))
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        self.0.abort();
    }
}
