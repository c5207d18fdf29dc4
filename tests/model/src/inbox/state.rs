//! The bucket, and what each run has in memory.

use super::InboxBudget;

/// Messages in one listing.
pub(super) const PAGE: u32 = 2;

/// The head. Each commit decides one effect, which has its number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct InboxHead {
    pub(super) commit: u8,
    /// The messages in the journal.
    pub(super) absorbed: u8,
    pub(super) lease: Option<u8>,
    /// Effects that may be undispatched.
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
    /// Commits one message, or none.
    Commit,
    /// Dispatches what its commit decided.
    Dispatch,
    /// Deletes mail, then lists again, or ends.
    Delete,
}

/// A run in a worker's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct InboxRun {
    pub(super) next: Next,
    /// The head as read, or as committed.
    pub(super) head: InboxHead,
    /// What the last listing showed.
    pub(super) page: u8,
    /// Whether more was behind it.
    pub(super) full: bool,
    /// The messages that this run has absorbed.
    pub(super) fresh: u8,
    /// What is to be deleted.
    pub(super) slots: u8,
    /// Whether it has committed.
    pub(super) acquired: bool,
    /// Whether it has changed anything.
    pub(super) changed: bool,
}

/// The state of everything.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InboxState {
    pub(super) head: InboxHead,
    /// Whether the lease of a live holder has expired.
    pub(super) expired: bool,
    pub(super) mail: u8,
    pub(super) runs: [Option<InboxRun>; 2],
    pub(super) budget: InboxBudget,
    /// Ghost: the messages that were created.
    pub(super) sent: u8,
    /// Ghost: effects that commits decided, and those that were performed.
    pub(super) decided: u16,
    pub(super) made: u16,
    /// Ghost: a run has changed nothing, and fresh mail was in the mailbox.
    pub(super) blind: bool,
}

impl InboxState {
    pub(super) fn new(budget: InboxBudget) -> Self {
        Self {
            head: InboxHead::default(),
            expired: false,
            mail: 0,
            runs: [None; 2],
            budget,
            sent: 0,
            decided: 0,
            made: 0,
            blind: false,
        }
    }

    /// Whether a run that reads this head must leave it alone.
    pub(super) fn held(&self) -> bool {
        self.is_alive() && !self.expired
    }

    fn is_alive(&self) -> bool {
        self.head.lease.is_some_and(|holder| {
            let run = self.runs[usize::from(holder)];
            run.is_some_and(|run| run.acquired)
        })
    }
}

/// The first messages of a mailbox, and whether there are more.
pub(super) fn list(mail: u8) -> (u8, bool) {
    let (mut page, mut rest) = (0, mail);
    for _ in 0..PAGE {
        let first = first(rest);
        (page, rest) = (page | first, rest & !first);
    }
    (page, rest != 0)
}

/// The first message of a set.
pub(super) fn first(mail: u8) -> u8 {
    mail & mail.wrapping_neg()
}
