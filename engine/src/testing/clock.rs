//! A clock that a test advances.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};

use crate::ports::Clock;

/// A clock that does not move until a test advances it.
///
/// A sleep begins when it is first polled. A sleep beyond the monotonic clock's range never ends,
/// and is not counted as a sleeper.
#[derive(Debug)]
pub struct ManualClock {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    wall: Timestamp,
    monotonic: Duration,
    /// Numbers the sleepers, so that those with equal deadlines wake in the order of their start.
    next: u64,
    sleepers: BTreeMap<(Duration, u64), Waker>,
}

impl ManualClock {
    /// Creates a clock with the wall clock at `start` and the monotonic clock at zero.
    #[must_use]
    pub const fn new(start: Timestamp) -> Self {
        Self {
            state: Mutex::new(State {
                wall: start,
                monotonic: Duration::ZERO,
                next: 0,
                sleepers: BTreeMap::new(),
            }),
        }
    }

    /// Advances both clocks by `step` at once, and wakes the sleepers that are due, earliest first.
    /// The wall clock stops at the end of its range.
    pub fn advance(&self, step: Duration) {
        let mut state = self.lock();
        state.monotonic = state.monotonic.saturating_add(step);
        let step = SignedDuration::try_from(step).unwrap_or(SignedDuration::MAX);
        state.wall = state.wall.checked_add(step).unwrap_or(Timestamp::MAX);
        let now = state.monotonic;
        let sleeping = state.sleepers.split_off(&(now, u64::MAX));
        let due = std::mem::replace(&mut state.sleepers, sleeping);
        drop(state);
        due.into_values().for_each(Waker::wake);
    }

    /// Sets the wall clock, forward or back; the monotonic clock and the sleepers are unaffected.
    pub fn set(&self, wall: Timestamp) {
        self.lock().wall = wall;
    }

    /// Returns the number of sleeps that have begun and have neither ended nor been dropped.
    #[must_use]
    pub fn sleepers(&self) -> usize {
        self.lock().sleepers.len()
    }

    /// Returns the end of the next sleep, by the monotonic clock.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Duration> {
        let state = self.lock();
        state.sleepers.keys().next().map(|(deadline, _)| *deadline)
    }

    /// Returns whether the end of a sleep wakes the task of `waker`.
    pub(super) fn wakes(&self, waker: &Waker) -> bool {
        let state = self.lock();
        state
            .sleepers
            .values()
            .any(|sleeper| sleeper.will_wake(waker))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics between two changes of the state: a poisoned one is still consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        self.lock().wall
    }

    fn monotonic(&self) -> Duration {
        self.lock().monotonic
    }

    async fn sleep(&self, duration: Duration) {
        let Some(mut sleep) = Sleep::begin(self, duration) else {
            return std::future::pending().await;
        };
        poll_fn(|cx| sleep.poll(cx)).await;
    }
}

/// One sleep. Dropping it removes it from the clock.
struct Sleep<'a> {
    clock: &'a ManualClock,
    place: (Duration, u64),
}

impl<'a> Sleep<'a> {
    fn begin(clock: &'a ManualClock, duration: Duration) -> Option<Self> {
        let mut state = clock.lock();
        let deadline = state.monotonic.checked_add(duration);
        // A wait until the end of time never ends: a simulation must not go there.
        let deadline = deadline.filter(|at| *at < Duration::MAX)?;
        let place = (deadline, state.next);
        state.next += 1;
        drop(state);
        Some(Self { clock, place })
    }

    fn poll(&mut self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.clock.lock();
        if state.monotonic >= self.place.0 {
            return Poll::Ready(());
        }
        state.sleepers.insert(self.place, cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep<'_> {
    fn drop(&mut self) {
        self.clock.lock().sleepers.remove(&self.place);
    }
}
