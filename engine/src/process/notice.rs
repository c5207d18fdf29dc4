//! A one-shot event that many tasks can wait for, such as stop or hand over.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// An event that is set once and seen by every clone. Costs no request.
#[derive(Debug, Clone, Default)]
pub struct Notice(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    set: bool,
    next: u64,
    waiting: BTreeMap<u64, Waker>,
}

impl Notice {
    /// Creates a notice that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the notice. Further calls have no effect.
    pub fn set(&self) {
        let waiting = {
            let mut state = self.lock();
            state.set = true;
            std::mem::take(&mut state.waiting)
        };
        waiting.into_values().for_each(Waker::wake);
    }

    /// Returns whether the notice is set.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.lock().set
    }

    /// Returns when the notice is set. A dropped wait is removed from the waiters.
    pub async fn wait(&self) {
        let mut place = Place {
            notice: self,
            number: None,
        };
        poll_fn(|cx| place.poll(cx)).await;
    }

    /// Returns the number of waiters.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics between two changes of the state, so a poisoned one is consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The registration of one waiter.
struct Place<'a> {
    notice: &'a Notice,
    number: Option<u64>,
}

impl Place<'_> {
    fn poll(&mut self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.notice.lock();
        if state.set {
            return Poll::Ready(());
        }
        let number = *self.number.get_or_insert(state.next);
        state.next = state.next.max(number + 1);
        state.waiting.insert(number, cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.notice.lock().waiting.remove(&number);
        }
    }
}
