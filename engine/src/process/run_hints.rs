//! Hints for executions that run in this process: the run lists its mailbox at once, instead of at
//! the next third of the lease. Costs no request, and decides nothing: a lost hint costs time.

use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::domain::ExecutionId;
use crate::keys::Key;

/// Hints that one run keeps. Of more, it keeps none, and lists.
const MAX: usize = 256;

/// The runs of this process, by execution.
#[derive(Debug, Default)]
pub(crate) struct RunHints(Mutex<BTreeMap<ExecutionId, Arc<HintQueue>>>);

/// Receives the hints for one execution until it is dropped.
#[derive(Debug)]
pub(crate) struct HintReceiver<'a> {
    runs: &'a RunHints,
    eid: ExecutionId,
    queue: Arc<HintQueue>,
}

/// The hints that a run has not seen.
#[derive(Debug, Default)]
pub(crate) struct HintQueue(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    keys: BTreeSet<Key>,
    /// There were more hints than are kept.
    overflow: bool,
    waiting: Option<Waker>,
}

impl RunHints {
    /// Receives the hints for `eid` from now on. A later receiver replaces an earlier one.
    pub(crate) fn receive(&self, eid: ExecutionId) -> HintReceiver<'_> {
        let queue = Arc::<HintQueue>::default();
        self.lock().insert(eid, Arc::clone(&queue));
        let runs = self;
        HintReceiver { runs, eid, queue }
    }

    /// Passes the key of a message on to the run of its execution, if there is one.
    pub(crate) fn notify(&self, eid: &ExecutionId, key: &Key) {
        let run = self.lock().get(eid).cloned();
        if let Some(run) = run {
            run.add(key);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ExecutionId, Arc<HintQueue>>> {
        // No code panics while it holds this lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HintReceiver<'_> {
    pub(crate) fn queue(&self) -> Arc<HintQueue> {
        Arc::clone(&self.queue)
    }
}

impl Drop for HintReceiver<'_> {
    fn drop(&mut self) {
        let mut runs = self.runs.lock();
        let own = |run: &Arc<HintQueue>| Arc::ptr_eq(run, &self.queue);
        if runs.get(&self.eid).is_some_and(own) {
            runs.remove(&self.eid);
        }
    }
}

impl HintQueue {
    fn add(&self, key: &Key) {
        let waiting = {
            let mut state = self.lock();
            if state.keys.len() < MAX {
                state.keys.insert(key.clone());
            } else {
                state.overflow = true;
            }
            state.waiting.take()
        };
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Takes the hints. Returns whether one of them is for a message that is `new`.
    pub(crate) fn take(&self, new: impl FnMut(&Key) -> bool) -> bool {
        let mut state = self.lock();
        let overflow = std::mem::take(&mut state.overflow);
        let keys = std::mem::take(&mut state.keys);
        drop(state);
        overflow || keys.iter().any(new)
    }

    /// Returns when there is a hint that [`HintQueue::take`] has not taken.
    pub(crate) async fn wait(&self) {
        poll_fn(|cx| self.poll(cx)).await;
    }

    fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if state.overflow || !state.keys.is_empty() {
            return Poll::Ready(());
        }
        state.waiting = Some(cx.waker().clone());
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds this lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
