//! Threads for activations of workflow code, which are short as a rule and endless by mistake.
//!
//! A pool that wakes a thread for each piece of work spends more on waking than on the work
//! (docs/performance.md has the figures beside tokio's `spawn_blocking`). Here running threads take
//! new work, and others are woken only if the backlog exceeds what these can process. A guard
//! thread monitors the pool while there is work: if a thread does not finish its piece, it keeps
//! it, and another thread is started in its place.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::runtime::Handle;

/// How long a piece of work may delay others before another thread is started.
const PATIENCE: Duration = Duration::from_millis(10);

/// Number of checks without work after which the guard sleeps.
const QUIET: u32 = 20;

/// A thread exits after this time without work, except for the last one.
const IDLE: Duration = Duration::from_secs(10);

/// Waiting pieces per running thread above which another thread is woken.
const BACKLOG: usize = 4;

/// Maximum number of threads. More endless pieces than that block all others.
const MOST: usize = 512;

pub(crate) type Work = Box<dyn FnOnce() + Send>;

/// The threads, and the queue they share. Each thread exits after its current piece once this is
/// dropped.
pub(crate) struct WorkflowThreads(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    work: Condvar,
    guard: Condvar,
    handle: Handle,
    cores: usize,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Work>,
    threads: usize,
    idle: usize,
    /// Number of pieces ever taken: the guard detects progress by it.
    taken: u64,
    watched: bool,
    closed: bool,
}

impl WorkflowThreads {
    /// Starts no thread yet except the guard, if the system provides one.
    pub(crate) fn new(handle: Handle) -> Option<Self> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            work: Condvar::new(),
            guard: Condvar::new(),
            handle,
            cores,
        });
        let guarded = Arc::clone(&shared);
        let guard = thread::Builder::new().name("millpond-guard".to_owned());
        guard.spawn(move || guarded.watch()).ok()?;
        Some(Self(shared))
    }

    /// Queues a piece of work.
    ///
    /// # Errors
    /// The work itself: the pool has no thread, and the system provides none.
    pub(crate) fn push(&self, work: Work) -> Result<(), Work> {
        let mut state = self.0.lock();
        if state.threads == 0 && !self.0.start(&mut state) {
            return Err(work);
        }
        state.queue.push_back(work);
        let busy = state.threads - state.idle;
        if busy == 0 || (busy < self.0.cores && state.queue.len() > busy * BACKLOG) {
            self.0.another(&mut state);
        }
        if !std::mem::replace(&mut state.watched, true) {
            self.0.guard.notify_one();
        }
        Ok(())
    }
}

impl Drop for WorkflowThreads {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.work.notify_all();
        self.0.guard.notify_all();
    }
}

impl fmt::Debug for WorkflowThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.lock();
        f.debug_struct("WorkflowThreads")
            .field("threads", &state.threads)
            .field("idle", &state.idle)
            .field("queue", &state.queue.len())
            .finish()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Work runs outside this lock, and no other code panics under it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts or wakes one more thread.
    fn another(self: &Arc<Self>, state: &mut State) {
        if state.idle > 0 {
            self.work.notify_one();
        } else if !self.start(state) {
            tracing::warn!(threads = state.threads, "no more threads for workflow code");
        }
    }

    fn start(self: &Arc<Self>, state: &mut State) -> bool {
        if state.threads >= MOST {
            return false;
        }
        let shared = Arc::clone(self);
        let named = thread::Builder::new().name("millpond-workflow".to_owned());
        let started = named.spawn(move || shared.run()).is_ok();
        state.threads += usize::from(started);
        started
    }

    /// The main loop of a thread.
    fn run(self: Arc<Self>) {
        let _runtime = self.handle.enter();
        let mut state = self.lock();
        loop {
            if let Some(work) = state.queue.pop_front() {
                state.taken += 1;
                drop(state);
                // The piece owns its state; its waiter receives the cancellation.
                let _panicked = catch_unwind(AssertUnwindSafe(work));
                state = self.lock();
                continue;
            }
            if state.closed {
                state.threads -= 1;
                return;
            }
            state.idle += 1;
            let (next, waited) = self
                .work
                .wait_timeout(state, IDLE)
                .unwrap_or_else(PoisonError::into_inner);
            state = next;
            state.idle -= 1;
            if waited.timed_out() && state.queue.is_empty() && state.threads > 1 {
                state.threads -= 1;
                return;
            }
        }
    }

    /// The main loop of the guard.
    fn watch(self: Arc<Self>) {
        let (mut seen, mut quiet) = (0, 0);
        let mut state = self.lock();
        while !state.closed {
            if !state.watched {
                let woken = self.guard.wait(state);
                state = woken.unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let (next, _) = self
                .guard
                .wait_timeout(state, PATIENCE)
                .unwrap_or_else(PoisonError::into_inner);
            state = next;
            if !state.queue.is_empty() {
                quiet = 0;
                if std::mem::replace(&mut seen, state.taken) == state.taken {
                    self.another(&mut state);
                }
            } else if std::mem::replace(&mut seen, state.taken) == state.taken {
                quiet += 1;
                if quiet > QUIET {
                    (quiet, state.watched) = (0, false);
                }
            } else {
                quiet = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// A piece that blocks its thread until it is released.
    fn stuck() -> (Sender<()>, Work) {
        let (go, may_go) = channel();
        (
            go,
            Box::new(move || {
                let _gone = may_go.recv();
            }),
        )
    }

    fn report() -> (Work, Receiver<&'static str>) {
        let (send, sent) = channel();
        (
            Box::new(move || send.send("done").expect("the test waits")),
            sent,
        )
    }

    #[tokio::test]
    async fn work_behind_pieces_without_end_is_done() {
        let threads = WorkflowThreads::new(Handle::current()).expect("the system gives a thread");
        let held: Vec<_> = (0..8)
            .map(|_| {
                let (go, work) = stuck();
                assert!(threads.push(work).is_ok());
                go
            })
            .collect();
        let (work, done) = report();
        assert!(threads.push(work).is_ok());
        assert_eq!(done.recv(), Ok("done"), "while eight hold their threads");
        drop(held);
    }

    #[tokio::test]
    async fn a_piece_that_panics_takes_nobody_along() {
        let threads = WorkflowThreads::new(Handle::current()).expect("the system gives a thread");
        assert!(threads.push(Box::new(|| panic!("as it does"))).is_ok());
        let (work, done) = report();
        assert!(threads.push(work).is_ok());
        assert_eq!(done.recv(), Ok("done"));
    }

    #[tokio::test]
    async fn what_is_queued_is_done_once_and_threads_end_with_their_owner() {
        let threads = WorkflowThreads::new(Handle::current()).expect("the system gives a thread");
        let (send, sent) = channel();
        for n in 0..100 {
            let send = send.clone();
            assert!(
                threads
                    .push(Box::new(move || send.send(n).expect("the test waits")))
                    .is_ok()
            );
        }
        drop(send);
        let mut received: Vec<i32> = sent.iter().collect();
        received.sort_unstable();
        assert_eq!(received, (0..100).collect::<Vec<_>>());
        let shared = Arc::downgrade(&threads.0);
        drop(threads);
        while shared.strong_count() > 0 {
            thread::yield_now();
        }
    }
}
