//! Where a sweep continues.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::Queue;
use crate::keys::Key;

/// Where a sweep continues; the default is the front.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Position {
    pub(super) timers: TimersAt,
    pub(super) mail: MailAt,
}

/// The timers that were handled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TimersAt {
    /// All timers up to here.
    pub(super) all: Option<Key>,
    /// Of each queue, the timers up to here.
    pub(super) of: BTreeMap<Queue, Key>,
    /// Where the next listing begins, if it is after `all`.
    pub(super) window: Option<Key>,
    /// Queues with timers between `all` and `window` that were left out.
    pub(super) left: BTreeSet<Queue>,
    /// The last timer before the first of those.
    pub(super) rest: Option<Key>,
}

/// The mail that was handled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct MailAt {
    /// All mail up to here, except for that of the queues in `of`.
    pub(super) all: Option<Key>,
    /// Whether each queue has been visited: only those in `of` are left.
    pub(super) visited: bool,
    /// Of these queues, the mail up to here.
    pub(super) of: BTreeMap<Queue, Key>,
    /// The queue that had the last turn.
    pub(super) turn: Option<Queue>,
}

/// The entry after that of `last`, in turns; the first one after the last.
pub(super) fn next_of<'a, T>(
    all: &'a BTreeMap<Queue, T>,
    last: Option<&Queue>,
) -> Option<(&'a Queue, &'a T)> {
    use std::ops::Bound::{Excluded, Unbounded};
    let after = last.and_then(|last| all.range((Excluded(last), Unbounded)).next());
    after.or_else(|| all.iter().next())
}
