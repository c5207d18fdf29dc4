//! Callers in this process that wait for the end of an execution: the commit that ends it
//! notifies them, so that they need not read the head repeatedly. Costs no request, and decides
//! nothing: a notified caller reads the head, and an end in another process is found by polling.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Notice;
use crate::domain::ExecutionId;

/// The waiting callers, by execution, and the number of workers in this process.
#[derive(Debug, Default)]
pub(crate) struct CompletionWaiters {
    waiting: Mutex<BTreeMap<ExecutionId, (Notice, usize)>>,
    workers: AtomicUsize,
}

/// Waits for the end of one execution. Removes itself when dropped.
#[derive(Debug)]
pub(crate) struct End<'a> {
    ends: &'a CompletionWaiters,
    eid: ExecutionId,
    notice: Notice,
}

/// Counts a running worker of this process until dropped.
#[derive(Debug)]
pub(crate) struct AtWork<'a>(&'a CompletionWaiters);

impl CompletionWaiters {
    /// Waits for the end of `eid` from now on.
    pub(crate) fn of(&self, eid: ExecutionId) -> End<'_> {
        let mut waiting = self.lock();
        let (notice, times) = waiting.entry(eid).or_default();
        *times += 1;
        let notice = notice.clone();
        End {
            ends: self,
            eid,
            notice,
        }
    }

    /// Notifies the callers that wait for `eid`: the commit that ends it has landed.
    pub(crate) fn notify(&self, eid: &ExecutionId) {
        // Later callers get a fresh notice, since an execution may be reopened.
        let notified = self
            .lock()
            .get_mut(eid)
            .map(|(notice, _)| std::mem::take(notice));
        if let Some(notice) = notified {
            notice.set();
        }
    }

    /// Counts a worker, until the returned guard is dropped.
    pub(crate) fn work(&self) -> AtWork<'_> {
        self.workers.fetch_add(1, Ordering::Relaxed);
        AtWork(self)
    }

    /// Returns whether most ends are reported in this process.
    pub(crate) fn has_worker(&self) -> bool {
        self.workers.load(Ordering::Relaxed) > 0
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ExecutionId, (Notice, usize)>> {
        // No code panics while it holds this lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl End<'_> {
    /// Returns when the end has been reported.
    pub(crate) async fn notified(&self) {
        self.notice.wait().await;
    }
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        let mut waiting = self.ends.lock();
        if let Some((_, times)) = waiting.get_mut(&self.eid) {
            *times -= 1;
            if *times == 0 {
                waiting.remove(&self.eid);
            }
        }
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.workers.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn eid(n: u8) -> ExecutionId {
        ExecutionId::new(uuid::Uuid::from_bytes([n; 16]))
    }

    #[test]
    fn every_waiter_is_notified_and_leaves_nothing_behind() {
        let ends = CompletionWaiters::default();
        let (one, two, other) = (ends.of(eid(1)), ends.of(eid(1)), ends.of(eid(2)));
        assert!(one.notified().now_or_never().is_none());
        ends.notify(&eid(1));
        assert!(one.notified().now_or_never().is_some());
        assert!(two.notified().now_or_never().is_some());
        assert!(other.notified().now_or_never().is_none());
        drop((one, two, other));
        assert!(ends.lock().is_empty());
    }

    #[test]
    fn a_worker_counts_while_it_is_at_work() {
        let ends = CompletionWaiters::default();
        let work = ends.work();
        assert!(ends.has_worker());
        drop(work);
        assert!(!ends.has_worker());
    }
}
