//! Heads that a worker has just committed, kept for the execution's next run.
//!
//! A run that finds its head here continues from it without reading it. It is safe for the same
//! reason as a slow run: like any run, it has read the head before it lists the mailbox, only
//! longer ago, and its first write is a compare-and-swap on that version (I2). If the head was
//! replaced meanwhile, that write is refused; nothing has happened by then (no step body runs
//! before a barrier, I1), and the run starts again with a read.
//!
//! - Only heads that a run left cleanly are kept: lease cleared, outbox dispatched, not terminal.
//! - **\[R\]** A kept head decides nothing without a commit: if it has no fresh cause, it is
//!   dropped and the head is read, since causes are deleted only on the basis of a current head.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::domain::ExecutionId;
use crate::journal::Journal;

/// Kept heads, up to a number of bytes; the oldest are dropped first.
#[derive(Debug, Default)]
pub(crate) struct Sticky {
    most: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    kept: BTreeMap<ExecutionId, (u64, Journal)>,
    order: VecDeque<(u64, ExecutionId)>,
    bytes: usize,
    count: u64,
}

impl Sticky {
    /// Keeps up to `most` bytes; 0 disables it.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            state: Mutex::default(),
        }
    }

    /// Keeps the head of an execution whose run has ended.
    pub(crate) fn keep(&self, journal: &Journal) {
        if self.most == 0 || journal.head.status.is_terminal() || journal.head.lease.is_some() {
            return;
        }
        let journal = journal.at_rest();
        let eid = journal.head.record.eid;
        let mut state = self.lock();
        state.drop_kept(&eid);
        state.bytes += size(&journal);
        state.count += 1;
        let number = state.count;
        state.kept.insert(eid, (number, journal));
        state.order.push_back((number, eid));
        while state.bytes > self.most
            && let Some((number, eid)) = state.order.pop_front()
        {
            if state
                .kept
                .get(&eid)
                .is_some_and(|(kept, _)| *kept == number)
            {
                state.drop_kept(&eid);
            }
        }
    }

    /// Takes the head of `eid`, if it is kept.
    pub(crate) fn take(&self, eid: &ExecutionId) -> Option<Journal> {
        if self.most == 0 {
            return None;
        }
        self.lock().drop_kept(eid)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds this lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn drop_kept(&mut self, eid: &ExecutionId) -> Option<Journal> {
        let (_, journal) = self.kept.remove(eid)?;
        self.bytes -= size(&journal);
        // Limits the marks of heads that are already taken, relative to the kept heads.
        if self.order.len() > 64 + 2 * self.kept.len() {
            let kept = &self.kept;
            self.order
                .retain(|(number, eid)| kept.get(eid).is_some_and(|(at, _)| at == number));
        }
        Some(journal)
    }
}

/// Estimates the memory that a head occupies.
fn size(journal: &Journal) -> usize {
    const FIXED: usize = 2 << 10;
    FIXED + journal.head.tail_bytes()
}
