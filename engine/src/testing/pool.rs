//! A spawner on one thread, which skips the time that everybody sleeps through.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Wake, Waker};

use futures::future::BoxFuture;

use super::ManualClock;
use crate::ports::{Abort, Spawner};

/// Skips after which [`Pool::run_until`] gives up: some task sleeps in a loop, and what the
/// main future waits for never comes.
const MAX_SKIPS: u32 = 1_000_000;

/// Runs tasks in turn on the thread that calls [`run_until`](Self::run_until), in the order
/// they were woken. Between runs nothing moves; a later run goes on where the last one ended.
///
/// Every task must be woken by another one or by the clock: a task that waits for a thread or
/// a socket looks like a deadlock. A run is not to be started from inside a run.
#[derive(Clone, Default)]
pub struct Pool {
    shared: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    next: u64,
    /// Who can go on, in the order of waking. May name tasks that have ended.
    woken: VecDeque<u64>,
    /// The same as a set: nobody stands in the row twice.
    in_row: BTreeSet<u64>,
    tasks: BTreeMap<u64, Slot>,
}

enum Slot {
    Waiting(BoxFuture<'static, ()>),
    /// Being polled: the future is on the stack of the run.
    Running,
}

impl Pool {
    /// A pool without tasks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many tasks have been spawned, and neither ended nor been aborted.
    #[must_use]
    pub fn tasks(&self) -> usize {
        lock(&self.shared).tasks.len()
    }

    /// Aborts every task, and what they spawn while they are dropped: the process is gone.
    pub fn abort_all(&self) {
        loop {
            let tasks = std::mem::take(&mut lock(&self.shared).tasks);
            if tasks.is_empty() {
                return;
            }
            drop(tasks);
        }
    }

    /// Runs `main` and all tasks until `main` ends, moving `clock` to its next sleeper each
    /// time nobody can go on.
    ///
    /// # Panics
    /// When nobody can go on and nobody sleeps (the text begins with `deadlock`), or when a
    /// million skips did not bring `main` to its end.
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

    /// Runs `main` and all tasks until `main` ends, or until nobody can go on without time
    /// passing: then `None`. Pass `&mut main`, pinned, to go on with it later.
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

    /// Polls one task once.
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
        // Ended, or aborted while it ran. What it drops may spawn or abort: not under the lock.
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
    /// A fresh id, woken at once.
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
        // Weak: a task may hold its own handle, and the pool holds the task.
        let shared = Arc::downgrade(&self.shared);
        Box::new(move || {
            if let Some(shared) = shared.upgrade() {
                let aborted = lock(&shared).tasks.remove(&id);
                drop(aborted);
            }
        })
    }

    /// Runs `work` at once: on one thread nobody else could go on meanwhile anyway.
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

/// Wakes one task, or the main future of a run. Weak: clocks keep wakers, tasks keep clocks.
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
    // No task is polled or dropped under the lock, so nothing panics there.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
