//! The concurrency door.

use std::fmt;

use futures::future::BoxFuture;

/// Ends a spawned task: it is dropped at its next suspension point, or never started.
pub type Abort = Box<dyn FnOnce() + Send>;

/// Runs thunks beside a run, so that a busy one never starves renewals.
pub trait Spawner: fmt::Debug + Send + Sync + 'static {
    /// Starts `task`; the returned handle aborts it.
    fn spawn(&self, task: BoxFuture<'static, ()>) -> Abort;

    /// Runs `work` where it may block or spin without stopping anybody else.
    fn blocking(&self, work: Box<dyn FnOnce() + Send>);
}
