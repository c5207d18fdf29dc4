//! A word said once to many: stop, hand over.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

/// Set once, heard by every clone. Costs no request.
#[derive(Debug, Clone, Default)]
pub struct Notice(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    set: bool,
    waiting: Vec<Waker>,
}

impl Notice {
    /// A notice that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets it; more than once is once.
    pub fn set(&self) {
        let waiting = {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.set = true;
            std::mem::take(&mut state.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Whether it is set.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).set
    }

    /// Returns when it is set.
    pub async fn wait(&self) {
        poll_fn(|cx| {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if state.set {
                return Poll::Ready(());
            }
            if !state
                .waiting
                .iter()
                .any(|waker| waker.will_wake(cx.waker()))
            {
                state.waiting.push(cx.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }
}
