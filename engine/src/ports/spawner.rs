//! The concurrency port.

use std::fmt;

use futures::future::BoxFuture;

/// Aborts a spawned task: it is dropped at its next suspension point, or never started.
pub type Abort = Box<dyn FnOnce() + Send>;

/// Runs step bodies beside a run, so that a busy body never delays renewals.
pub trait Spawner: fmt::Debug + Send + Sync + 'static {
    /// Starts a task of the engine, which never spins; the returned handle aborts it.
    fn spawn(&self, task: BoxFuture<'static, ()>) -> Abort;

    /// Starts an attempt of a step, as [`spawn`](Self::spawn) does. User code may spin between its
    /// awaits, so on a multi-threaded runtime it gets other threads than the tasks of the engine.
    /// The default does not separate them.
    fn attempt(&self, task: BoxFuture<'static, ()>) -> Abort {
        self.spawn(task)
    }

    /// Runs `work` on a thread that it may block without delaying other tasks.
    fn blocking(&self, work: Box<dyn FnOnce() + Send>);

    /// Runs an activation of workflow code: as [`blocking`](Self::blocking), but activations are
    /// usually short and numerous. The default does not separate them.
    fn activate(&self, work: Box<dyn FnOnce() + Send>) {
        self.blocking(work);
    }
}
