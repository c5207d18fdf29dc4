//! Tasks and blocking work by tokio.

use futures::future::BoxFuture;
use millpond::doors::{Abort, Spawner};
use tokio::runtime::Handle;

/// Runs tasks on a tokio runtime.
#[derive(Debug, Clone)]
pub struct TokioSpawner {
    handle: Handle,
}

impl TokioSpawner {
    /// Spawns on the runtime behind `handle`.
    #[must_use]
    pub const fn new(handle: Handle) -> Self {
        Self { handle }
    }

    /// Spawns on the runtime of the caller.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn current() -> Self {
        Self::new(Handle::current())
    }
}

impl Spawner for TokioSpawner {
    fn spawn(&self, task: BoxFuture<'static, ()>) -> Abort {
        let task = self.handle.spawn(task).abort_handle();
        Box::new(move || task.abort())
    }

    fn blocking(&self, work: Box<dyn FnOnce() + Send>) {
        // Nobody waits for the handle: the work reports by itself.
        drop(self.handle.spawn_blocking(work));
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn a_spawned_task_runs_without_being_awaited() {
        let (done, seen) = oneshot::channel();
        let _abort = TokioSpawner::current().spawn(Box::pin(async { done.send(7).unwrap() }));
        assert_eq!(seen.await, Ok(7));
    }

    #[tokio::test]
    async fn an_aborted_task_is_dropped_where_it_waits() {
        let (held, dropped) = oneshot::channel::<()>();
        let (start, started) = oneshot::channel();
        let abort = TokioSpawner::current().spawn(Box::pin(async move {
            let _held = held;
            start.send(()).unwrap();
            pending::<()>().await;
        }));
        started.await.unwrap();
        abort();
        assert!(dropped.await.is_err(), "its end of the channel is gone");
    }

    #[tokio::test]
    async fn a_handle_that_is_dropped_aborts_nothing() {
        let (go, may_go) = oneshot::channel();
        let (done, seen) = oneshot::channel();
        drop(TokioSpawner::current().spawn(Box::pin(async {
            may_go.await.unwrap();
            done.send(7).unwrap();
        })));
        go.send(()).unwrap();
        assert_eq!(seen.await, Ok(7));
    }

    #[tokio::test]
    async fn blocking_work_does_not_stop_the_only_worker() {
        let (go, may_go) = oneshot::channel();
        let (done, seen) = oneshot::channel();
        TokioSpawner::current().blocking(Box::new(|| {
            let word: &str = may_go.blocking_recv().unwrap();
            done.send(word).unwrap();
        }));
        go.send("went on").unwrap();
        assert_eq!(seen.await, Ok("went on"));
    }
}
