//! The budget of an execution: what a commit adds to it, and when it is used up.
//!
//! - **\[R\] N26** An execution that has made all the requests of its budget begins no attempt, and is
//!   blocked. The head counts them, with the commits that cause them. Bad interleaving: each run
//!   counts for itself, and a workflow that suspends after each step never reaches its budget.

use super::committer::Committer;
use super::conductor::Run;
use crate::domain::{Blocked, Budget, Entry};
use crate::journal::Price;
use crate::keys::Key;

impl Committer {
    /// Returns the budget after a commit of these entries, by the price list: the commit, with the
    /// first one of a run also its reads and its listing, with the last one the feed object, the next
    /// listing and the timer, with one that only renews the lease the listing before it.
    pub(super) fn budget_after(
        &self,
        entries: &[Entry],
        last: bool,
        timer: Option<&Key>,
    ) -> Budget {
        let head = &self.journal.head;
        let prices = entries.iter().map(Price::of_entry);
        let mut requests = 1 + prices.map(Price::requests).sum::<u64>();
        requests += u64::from(entries.is_empty());
        if !self.lease.acquired {
            requests += 2 + head.sealed.len() as u64;
        }
        if last {
            let over = entries.iter().any(Entry::is_end);
            let parent = head.record.parent.as_ref();
            let result = over && parent.is_some_and(|parent| parent.waits);
            let timer = timer.is_some() && timer != head.timer.as_ref();
            requests += 1 + u64::from(!over) + u64::from(result) + u64::from(timer);
        }
        let mut budget = head.budget;
        budget.spend(self.core.ports.clock.now(), requests);
        budget.max = self.recorded.requested.budget;
        budget
    }
}

impl Run {
    /// Returns why this execution may do nothing more, where `max` is what an operator permits: it
    /// has used its budget.
    pub(super) fn over_budget(&self, max: Option<u64>) -> Option<Blocked> {
        let committer = &self.committer;
        let max = max.unwrap_or(self.core.settings.budget);
        let requests = committer
            .journal
            .head
            .budget
            .spent(self.core.ports.clock.now());
        (requests >= max).then_some(Blocked::Budget { requests, max })
    }
}
