//! Heads that a worker has just committed, kept for the execution's next run.
//!
//! A run that finds its head here goes on from it without reading it. It is safe for the reason
//! that a slow run is safe: it has read the head before it lists the mailbox, as any run, only
//! longer ago, and its first write is a compare-and-swap on that version (I2). A head that was
//! replaced meanwhile refuses it; then nothing has happened (no step body runs before a barrier, I1),
//! and the run begins again with a read.
//!
//! - Only what a clean end left is kept: holder cleared, outbox dispatched, not terminal.
//! - **\[R\]** A kept head decides nothing without a commit: where it shows no fresh cause, it is
//!   dropped and the head is read, since causes are deleted on the word of a head.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::domain::ExecutionId;
use crate::journal::Journal;

/// Kept heads, up to so many bytes; the oldest go first.
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
    /// Keeps up to `most` bytes; none keeps nothing.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            state: Mutex::default(),
        }
    }

    /// Keeps the head of an execution that came to rest.
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
        // Nothing panics under this lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn drop_kept(&mut self, eid: &ExecutionId) -> Option<Journal> {
        let (_, journal) = self.kept.remove(eid)?;
        self.bytes -= size(&journal);
        // Marks of what was taken: no more of them than of what is kept, and some.
        if self.order.len() > 64 + 2 * self.kept.len() {
            let kept = &self.kept;
            self.order
                .retain(|(number, eid)| kept.get(eid).is_some_and(|(at, _)| at == number));
        }
        Some(journal)
    }
}

/// About what a head takes in memory.
fn size(journal: &Journal) -> usize {
    const FIXED: usize = 2 << 10;
    FIXED + journal.head.tail_bytes()
}
