//! A single-threaded spawner that skips the time during which all tasks sleep.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Wake, Waker};

use futures::future::BoxFuture;

use super::ManualClock;
use crate::ports::{Abort, Spawner};

/// The number of skips after which [`Pool::run_until`] gives up: a task sleeps in a loop, and the
/// main future never completes.
const MAX_SKIPS: u32 = 1_000_000;

/// Runs tasks on the thread that calls [`run_until`](Self::run_until), in the order of their
/// wake-ups. Between runs no task makes progress; a later run continues where the last one ended.
///
/// Every task must be woken by another task or by the clock: a task that waits for a thread or a
/// socket looks like a deadlock. A run must not be started inside a run.
#[derive(Clone, Default)]
pub struct Pool {
    shared: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    next: u64,
    /// The runnable tasks in the order of waking. May name tasks that have ended.
    woken: VecDeque<u64>,
    /// The same as a set, so that no task is queued twice.
    in_row: BTreeSet<u64>,
    tasks: BTreeMap<u64, Slot>,
}

enum Slot {
    Waiting(BoxFuture<'static, ()>),
    /// The task is being polled: its future is on the stack of the run.
    Running,
}

impl Pool {
    /// Creates a pool without tasks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of tasks that have been spawned and have neither ended nor been aborted.
    #[must_use]
    pub fn tasks(&self) -> usize {
        lock(&self.shared).tasks.len()
    }

    /// Aborts all tasks, including those that they spawn while they are dropped: the process is
    /// gone.
    pub fn abort_all(&self) {
        loop {
            let tasks = std::mem::take(&mut lock(&self.shared).tasks);
            if tasks.is_empty() {
                return;
            }
            drop(tasks);
        }
    }

    /// Runs `main` and all tasks until `main` ends, and advances `clock` to its next sleeper each
    /// time no task is runnable.
    ///
    /// # Panics
    /// If no task is runnable and none sleeps (the text begins with `deadlock`), or if `main` has
    /// not ended after a million skips.
    pub fn run_until<F: Future>(&self, clock: &ManualClock, main: F) -> F::Output {
        let mut main = pin!(main);
        for _ in 0..MAX_SKIPS {
            if let Some(output) = self.run_until_stalled(main.as_mut()) {
                return output;
            }
            let Some(deadline) = clock.next_deadline() else {
                panic!(
                    "deadlock: the main future waits, {} tasks wait, and nobody sleeps",
                    self.tasks()
                );
            };
            clock.advance(deadline.saturating_sub(crate::ports::Clock::monotonic(clock)));
        }
        panic!("the main future still waits after {MAX_SKIPS} skips of time");
    }

    /// Runs `main` and all tasks until `main` ends, or until no task is runnable without a change
    /// of time: then `None`. Pass `&mut main`, pinned, to continue it later.
    pub fn run_until_stalled<F: Future>(&self, main: F) -> Option<F::Output> {
        let mut main = pin!(main);
        let main_id = lock(&self.shared).enqueue();
        let main_waker = self.waker(main_id);
        loop {
            let id = lock(&self.shared).next_woken()?;
            if id != main_id {
                self.turn(id);
            } else if let Poll::Ready(output) =
                main.as_mut().poll(&mut Context::from_waker(&main_waker))
            {
                return Some(output);
            }
        }
    }

    fn turn(&self, id: u64) {
        let slot = lock(&self.shared).tasks.get_mut(&id).map(Slot::take);
        let Some(Slot::Waiting(mut task)) = slot else {
            return;
        };
        let waker = self.waker(id);
        let polled = task.as_mut().poll(&mut Context::from_waker(&waker));
        let mut state = lock(&self.shared);
        if polled.is_ready() {
            state.tasks.remove(&id);
        } else if let Some(slot) = state.tasks.get_mut(&id) {
            *slot = Slot::Waiting(task);
            return;
        }
        // Ended, or aborted while it ran. Its drop may spawn or abort, so it must not happen under
        // the lock.
        drop(state);
        drop(task);
    }

    fn waker(&self, id: u64) -> Waker {
        Waker::from(Arc::new(Bell {
            id,
            shared: Arc::downgrade(&self.shared),
        }))
    }
}

impl State {
    /// Creates a task with a fresh id, woken at once.
    fn enqueue(&mut self) -> u64 {
        self.next += 1;
        self.wake(self.next);
        self.next
    }

    fn wake(&mut self, id: u64) {
        if self.in_row.insert(id) {
            self.woken.push_back(id);
        }
    }

    fn next_woken(&mut self) -> Option<u64> {
        let id = self.woken.pop_front()?;
        self.in_row.remove(&id);
        Some(id)
    }
}

impl Slot {
    fn take(&mut self) -> Self {
        std::mem::replace(self, Self::Running)
    }
}

impl Spawner for Pool {
    fn spawn(&self, task: BoxFuture<'static, ()>) -> Abort {
        let mut state = lock(&self.shared);
        let id = state.enqueue();
        state.tasks.insert(id, Slot::Waiting(task));
        drop(state);
        // Weak: a task may own its handle, and the pool owns the task.
        let shared = Arc::downgrade(&self.shared);
        Box::new(move || {
            if let Some(shared) = shared.upgrade() {
                let aborted = lock(&shared).tasks.remove(&id);
                drop(aborted);
            }
        })
    }

    /// Runs `work` at once: on one thread no other task could run meanwhile.
    fn blocking(&self, work: Box<dyn FnOnce() + Send>) {
        work();
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = lock(&self.shared);
        f.debug_struct("Pool")
            .field("tasks", &state.tasks.len())
            .field("woken", &state.woken)
            .finish()
    }
}

/// Wakes one task, or the main future of a run. Weak, because clocks own wakers and tasks own
/// clocks.
struct Bell {
    id: u64,
    shared: Weak<Mutex<State>>,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if let Some(shared) = self.shared.upgrade() {
            lock(&shared).wake(self.id);
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    // Tasks are polled and dropped outside the lock, so no code panics under it.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
