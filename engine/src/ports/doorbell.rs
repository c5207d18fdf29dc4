//! A doorbell inside one process: [`Wakeups`] without any server.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use async_trait::async_trait;

use super::{Hint, Wakeups};
use crate::domain::Queue;

/// Hints beyond this many are dropped: whoever polls finds their causes in the bucket.
const CAPACITY: usize = 65_536;

/// An in-process queue of hints. It lives beside the ports rather than in an adapter since it
/// touches nothing but memory, and users' tests need it.
#[derive(Debug, Default)]
pub struct Doorbell {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    hints: VecDeque<Hint>,
    waiting: Vec<Waker>,
}

impl Doorbell {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics under this lock; a poisoned one still holds whole hints.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Wakeups for Doorbell {
    async fn ring(&self, hint: Hint) {
        // It knows no time; who listens to it lists the timers.
        if hint.at.is_some() {
            return;
        }
        let waiting = {
            let mut state = self.lock();
            if state.hints.len() < CAPACITY {
                state.hints.push_back(hint);
            }
            std::mem::take(&mut state.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
    }

    async fn next(&self, queues: &[Queue]) -> Hint {
        poll_fn(|cx| {
            let mut state = self.lock();
            let at = state
                .hints
                .iter()
                .position(|hint| queues.contains(&hint.queue));
            if let Some(hint) = at.and_then(|at| state.hints.remove(at)) {
                return Poll::Ready(hint);
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
        .await
    }
}
