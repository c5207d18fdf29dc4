//! A single-threaded spawner that skips the time during which all tasks sleep.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures::future::BoxFuture;

use super::ManualClock;
use crate::ports::{Abort, Spawner};

/// The number of skips after which [`Pool::run_until`] gives up: a task sleeps in a loop, and the
/// main future never completes.
const MAX_SKIPS: u32 = 1_000_000;

/// How long a run waits in real time for an attempt that something outside of the pool may wake. The
/// steps of this crate's own tests wait for each other and for the clock only.
const PATIENCE: Duration = match cfg!(test) {
    true => Duration::ZERO,
    false => Duration::from_secs(5),
};

/// Runs tasks on the thread that calls [`run_until`](Self::run_until), in the order of their
/// wake-ups. Between runs no task makes progress; a later run continues where the last one ended.
///
/// Every task except for attempts of steps must be woken by another task or by the clock: if it waits
/// for a thread or a socket, it looks like a deadlock. An attempt may do real I/O: while something
/// outside of the pool can wake it, the clock stands still, for up to 5 s of real time
/// ([`set_patience`](Self::set_patience)). A run must not be started inside a run.
#[derive(Clone, Default)]
pub struct Pool {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// A task was woken.
    woken: Condvar,
}

struct State {
    /// See [`Pool::set_patience`].
    patience: Duration,
    /// The attempts, each with its last waker.
    attempts: BTreeMap<u64, Weak<Bell>>,
    next: u64,
    /// The runnable tasks in the order of waking. May name tasks that have ended.
    woken: VecDeque<u64>,
    /// The same as a set, so that no task is queued twice.
    in_row: BTreeSet<u64>,
    tasks: BTreeMap<u64, Slot>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            patience: PATIENCE,
            attempts: BTreeMap::new(),
            next: 0,
            woken: VecDeque::new(),
            in_row: BTreeSet::new(),
            tasks: BTreeMap::new(),
        }
    }
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

    /// Sets how long a run waits in real time for the I/O of an attempt before it moves the clock.
    /// An attempt that waits for its own cancellation cannot be distinguished from one that does I/O.
    pub fn set_patience(&self, patience: Duration) {
        lock(&self.shared).patience = patience;
    }

    /// Aborts all tasks, including those that they spawn while they are dropped: the process is
    /// gone.
    pub fn abort_all(&self) {
        loop {
            let mut state = lock(&self.shared);
            state.attempts.clear();
            let tasks = std::mem::take(&mut state.tasks);
            drop(state);
            if tasks.is_empty() {
                return;
            }
            drop(tasks);
        }
    }

    /// Runs `main` and all tasks until `main` ends, and advances `clock` to its next sleeper each
    /// time no task is runnable and no attempt does I/O.
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
            if self.wait_for_io(clock) {
                continue;
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

    /// Waits until an attempt is woken from outside; returns whether one was. An attempt whose wakers
    /// are all gone, or that sleeps by `clock`, is not waited for.
    fn wait_for_io(&self, clock: &ManualClock) -> bool {
        let state = lock(&self.shared);
        let patience = state.patience;
        let mut wakers = state.attempts.values().filter_map(Weak::upgrade);
        let outside = wakers.any(|bell| !clock.wakes(&Waker::from(bell)));
        if !outside || patience.is_zero() {
            return false;
        }
        let waits = |state: &mut State| state.woken.is_empty();
        let waited = self.shared.woken.wait_timeout_while(state, patience, waits);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !state.woken.is_empty()
    }

    fn turn(&self, id: u64) {
        let slot = lock(&self.shared).tasks.get_mut(&id).map(Slot::take);
        let Some(Slot::Waiting(mut task)) = slot else {
            return;
        };
        let bell = self.bell(id);
        let last = Arc::downgrade(&bell);
        let waker = Waker::from(bell);
        let polled = task.as_mut().poll(&mut Context::from_waker(&waker));
        drop(waker);
        let mut state = lock(&self.shared);
        if let Some(attempt) = state.attempts.get_mut(&id) {
            *attempt = last;
        }
        if polled.is_ready() {
            state.attempts.remove(&id);
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
        Waker::from(self.bell(id))
    }

    fn bell(&self, id: u64) -> Arc<Bell> {
        Arc::new(Bell {
            id,
            shared: Arc::downgrade(&self.shared),
        })
    }

    fn add(&self, task: BoxFuture<'static, ()>, attempt: bool) -> Abort {
        let mut state = lock(&self.shared);
        let id = state.enqueue();
        state.tasks.insert(id, Slot::Waiting(task));
        if attempt {
            state.attempts.insert(id, Weak::new());
        }
        drop(state);
        // Weak: a task may own its handle, and the pool owns the task.
        let shared = Arc::downgrade(&self.shared);
        Box::new(move || {
            if let Some(shared) = shared.upgrade() {
                let mut state = lock(&shared);
                state.attempts.remove(&id);
                let aborted = state.tasks.remove(&id);
                drop(state);
                drop(aborted);
            }
        })
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
        self.add(task, false)
    }

    fn attempt(&self, task: BoxFuture<'static, ()>) -> Abort {
        self.add(task, true)
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
    shared: Weak<Shared>,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if let Some(shared) = self.shared.upgrade() {
            lock(&shared).wake(self.id);
            shared.woken.notify_all();
        }
    }
}

fn lock(shared: &Shared) -> MutexGuard<'_, State> {
    // Tasks are polled and dropped outside the lock, so no code panics under it.
    shared.state.lock().unwrap_or_else(PoisonError::into_inner)
}
