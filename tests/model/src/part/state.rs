//! The bucket, and what each run has in memory. Sets of messages are bits.

use super::PartBudget;

/// The result.
pub(super) const RESULT: u8 = 1 << 3;

/// The head, with the part that it begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct PartHead {
    pub(super) commit: u8,
    /// The worker that continues.
    pub(super) lease: Option<u8>,
    /// The ids in the tail: those of the newest commit.
    pub(super) tail: u8,
    /// The ids that the continuation keeps.
    pub(super) seen: u8,
    /// All messages from this number on that were absorbed are in `seen` or in the tail.
    pub(super) since: u8,
    /// The ids in the earlier parts, by the path that the commit contains.
    pub(super) earlier: u8,
    /// The effect of the newest commit, which may be undispatched.
    pub(super) outbox: u16,
}

/// The request that a run makes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Next {
    /// Reads the head.
    Read,
    /// Lists the mailbox.
    List,
    /// Dispatches the outbox that an earlier run left.
    DispatchLoaded,
    /// Writes the path to the earlier parts, where that is an object.
    Path,
    /// Commits.
    Commit,
    /// Dispatches what its commit decided.
    Dispatch,
    /// Deletes the mail that it has absorbed, and ends.
    Delete,
}

/// A run in a worker's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct PartRun {
    pub(super) next: Next,
    /// The head as read, or as committed.
    pub(super) head: PartHead,
    /// What the listing showed.
    pub(super) page: u8,
    /// What of it is new to this run, and not committed.
    pub(super) fresh: u8,
    /// Whether it has committed.
    pub(super) committed: bool,
}

/// The state of everything.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PartState {
    pub(super) head: PartHead,
    /// The path to the earlier parts, where that is an object.
    pub(super) path: u8,
    pub(super) mail: u8,
    pub(super) runs: [Option<PartRun>; 2],
    pub(super) budget: PartBudget,
    /// Ghost: the messages that were created, and those that were consumed.
    pub(super) sent: u8,
    pub(super) consumed: u8,
    /// Ghost: a message was consumed twice.
    pub(super) twice: bool,
    /// Ghost: effects that commits decided, and those that were performed.
    pub(super) decided: u16,
    pub(super) made: u16,
}

impl PartState {
    /// Whether a run that reads this head must leave it alone.
    pub(super) fn held(&self) -> bool {
        self.head.lease.is_some_and(|holder| {
            let run = self.runs[usize::from(holder)];
            run.is_some_and(|run| run.committed)
        })
    }

    pub(super) fn new(budget: PartBudget) -> Self {
        Self {
            head: PartHead::default(),
            path: 0,
            mail: 0,
            runs: [None; 2],
            budget,
            sent: 0,
            consumed: 0,
            twice: false,
            decided: 0,
            made: 0,
        }
    }
}
