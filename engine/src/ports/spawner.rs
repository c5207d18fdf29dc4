//! The concurrency port.

use std::fmt;

use futures::future::BoxFuture;

/// Ends a spawned task: it is dropped at its next suspension point, or never started.
pub type Abort = Box<dyn FnOnce() + Send>;

/// Runs step bodies beside a run, so that a busy one never starves renewals.
pub trait Spawner: fmt::Debug + Send + Sync + 'static {
    /// Starts a task of the engine, which never spins; the returned handle aborts it.
    fn spawn(&self, task: BoxFuture<'static, ()>) -> Abort;

    /// Starts an attempt of a step, as [`spawn`](Self::spawn) does. It is code of a user that
    /// may spin between its awaits: where there are threads, it gets others than the engine's
    /// tasks. The default does not tell them apart.
    fn attempt(&self, task: BoxFuture<'static, ()>) -> Abort {
        self.spawn(task)
    }

    /// Runs `work` where it may block or spin without stopping anybody else.
    fn blocking(&self, work: Box<dyn FnOnce() + Send>);

    /// Runs an activation of workflow code: as [`blocking`](Self::blocking), but short as a rule, and
    /// there are many of them. The default does not tell them apart.
    fn turn(&self, work: Box<dyn FnOnce() + Send>) {
        self.blocking(work);
    }
}
