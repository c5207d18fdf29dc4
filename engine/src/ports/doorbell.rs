//! A doorbell inside one process: [`Wakeups`] without a server.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use async_trait::async_trait;

use super::{Hint, Wakeups};
use crate::domain::Queue;

/// The number of hints beyond which new ones are dropped; polling finds their causes in the bucket.
const CAPACITY: usize = 65_536;

/// An in-process queue of hints. It is part of the ports instead of an adapter, because it uses
/// memory only, and tests of users need it.
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
        // No code panics under this lock; a poisoned one still contains complete hints.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Wakeups for Doorbell {
    async fn notify(&self, hint: Hint) {
        // It has no clock; its consumers list the timers.
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
