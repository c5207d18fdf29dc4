//! Runs tasks, attempts and blocking work on tokio.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use futures::future::BoxFuture;
use millpond::ports::{Abort, Spawner};
use tokio::runtime::{Builder, Handle, Runtime};

use crate::workflow_threads::WorkflowThreads;

/// Runs tasks on a tokio runtime.
#[derive(Debug, Clone)]
pub struct TokioSpawner {
    handle: Handle,
    /// The runtime for step attempts, if it is separate from that of the engine's tasks.
    attempts: Option<Arc<Attempts>>,
    /// The threads for workflow code; `None` if the system provides no threads.
    workflows: Arc<OnceLock<Option<WorkflowThreads>>>,
    in_progress: InProgress,
}

/// Counts what a [`TokioSpawner`] has begun and what has neither ended nor been dropped: tasks,
/// attempts, blocking work. Clones count the same.
#[derive(Debug, Clone, Default)]
pub struct InProgress(Arc<AtomicUsize>);

impl InProgress {
    /// The number now.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }

    fn begin(&self) -> Begun {
        self.0.fetch_add(1, Ordering::AcqRel);
        Begun(Arc::clone(&self.0))
    }
}

/// Something in progress, until dropped.
struct Begun(Arc<AtomicUsize>);

impl Drop for Begun {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl TokioSpawner {
    /// Spawns everything on the runtime of `handle`. An attempt that spins occupies one of its
    /// threads; if it occupies the last one, timers and lease renewals stop.
    #[must_use]
    pub fn new(handle: Handle) -> Self {
        Self {
            handle,
            attempts: None,
            workflows: Arc::default(),
            in_progress: InProgress::default(),
        }
    }

    /// Counts in `in_progress`.
    #[must_use]
    pub fn counting(mut self, in_progress: InProgress) -> Self {
        self.in_progress = in_progress;
        self
    }

    /// Spawns everything on the caller's runtime; otherwise the same as [`new`](Self::new).
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn current() -> Self {
        Self::new(Handle::current())
    }

    /// Runs attempts on a runtime of their own, with one thread per core, so that spinning attempts
    /// delay only each other. The runtime shuts down with the last clone of this spawner, even if
    /// attempts still run.
    ///
    /// # Errors
    /// The system provides no threads.
    pub fn with_attempts_apart(mut self) -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .thread_name("millpond-attempts")
            .enable_all()
            .build()?;
        self.attempts = Some(Arc::new(Attempts(Some(runtime))));
        Ok(self)
    }
}

impl Spawner for TokioSpawner {
    fn spawn(&self, task: BoxFuture<'static, ()>) -> Abort {
        self.begin(&self.handle, task)
    }

    fn attempt(&self, task: BoxFuture<'static, ()>) -> Abort {
        let apart = self.attempts.as_deref().and_then(Attempts::handle);
        self.begin(apart.unwrap_or(&self.handle), task)
    }

    fn blocking(&self, work: Box<dyn FnOnce() + Send>) {
        let begun = self.in_progress.begin();
        // The handle is not awaited: the work reports its own result.
        drop(self.handle.spawn_blocking(move || {
            let _begun = begun;
            work();
        }));
    }

    fn activate(&self, work: Box<dyn FnOnce() + Send>) {
        let begun = self.in_progress.begin();
        let work: Box<dyn FnOnce() + Send> = Box::new(move || {
            let _begun = begun;
            work();
        });
        let workflows = &self.workflows;
        let threads = workflows.get_or_init(|| WorkflowThreads::new(self.handle.clone()));
        let left = match threads {
            Some(threads) => threads.push(work).err(),
            None => Some(work),
        };
        if let Some(work) = left {
            self.blocking(work);
        }
    }
}

impl TokioSpawner {
    fn begin(&self, handle: &Handle, task: BoxFuture<'static, ()>) -> Abort {
        let begun = self.in_progress.begin();
        let task = async move {
            let _begun = begun;
            task.await;
        };
        let task = handle.spawn(task).abort_handle();
        Box::new(move || task.abort())
    }
}

/// A runtime that may be dropped inside another one.
#[derive(Debug)]
struct Attempts(Option<Runtime>);

impl Attempts {
    fn handle(&self) -> Option<&Handle> {
        self.0.as_ref().map(Runtime::handle)
    }
}

impl Drop for Attempts {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
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

    #[tokio::test]
    async fn d19_work_is_in_progress_until_it_ends_or_is_dropped() {
        let counted = InProgress::default();
        let spawner = TokioSpawner::current().counting(counted.clone());
        let ends = async |count| {
            while counted.count() != count {
                tokio::task::yield_now().await;
            }
        };
        let (end, may_end) = std::sync::mpsc::channel::<()>();
        spawner.blocking(Box::new(move || {
            let _ = may_end.recv();
        }));
        let abort = spawner.attempt(Box::pin(pending()));
        assert_eq!(counted.count(), 2);
        abort();
        ends(1).await;
        drop(end);
        ends(0).await;
    }

    #[tokio::test]
    async fn attempts_apart_may_hold_every_thread_of_theirs_and_stop_nobody() {
        let spawner = TokioSpawner::current().with_attempts_apart().unwrap();
        let runtime = spawner.attempts.as_ref().unwrap().handle().unwrap();
        let threads = runtime.metrics().num_workers();
        let gate = Arc::new(std::sync::Barrier::new(threads + 1));
        for _ in 0..threads {
            let gate = Arc::clone(&gate);
            let _abort = spawner.attempt(Box::pin(async move {
                gate.wait();
            }));
        }
        let (done, seen) = oneshot::channel();
        let _abort = spawner.spawn(Box::pin(async { done.send(7).unwrap() }));
        assert_eq!(seen.await, Ok(7), "while they hold their threads");
        gate.wait();
        let (done, seen) = oneshot::channel();
        let name = || std::thread::current().name().map(str::to_owned);
        let _abort = spawner.attempt(Box::pin(async move { done.send(name()).unwrap() }));
        assert_eq!(seen.await.unwrap().as_deref(), Some("millpond-attempts"));
    }

    #[tokio::test]
    async fn an_attempt_apart_is_aborted_where_it_waits() {
        let spawner = TokioSpawner::current().with_attempts_apart().unwrap();
        let (held, dropped) = oneshot::channel::<()>();
        let abort = spawner.attempt(Box::pin(async move {
            let _held = held;
            pending::<()>().await;
        }));
        abort();
        assert!(dropped.await.is_err());
    }
}
