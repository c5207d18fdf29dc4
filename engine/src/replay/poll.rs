//! What frame futures do to the table.

use std::task::{Poll, Waker};

use super::frames::Outcome;
use super::table::{Loose, State, Table};
use crate::domain::{Entry, FrameId};

impl Table {
    /// Polls a registered frame; `waker` replaces the one of its last poll.
    pub(crate) fn poll(&self, fid: &FrameId, waker: Waker) -> Poll<Outcome> {
        self.change(|state, loose| state.poll(fid, waker, loose))
    }

    /// The workflow dropped a registered frame before it yielded.
    pub(crate) fn let_go(&self, fid: &FrameId) {
        self.change(|state, loose| state.let_go(fid, loose));
    }
}

impl State {
    fn poll(&mut self, fid: &FrameId, waker: Waker, loose: &mut Loose) -> Poll<Outcome> {
        let Some(slot) = self.slots.get_mut(fid).filter(|_| !self.closed) else {
            loose.wakers.push(waker);
            return Poll::Pending;
        };
        let mut outcome = slot.outcome.take();
        if outcome.is_none() {
            let polled = slot.frame.poll(fid, &mut self.inbox);
            self.decided.extend(polled.entry);
            outcome = polled.outcome;
        }
        let Some(outcome) = outcome else {
            // The future may have moved to another task since: the newest waker counts.
            loose.wakers.extend(slot.waker.replace(waker));
            return Poll::Pending;
        };
        loose.wakers.push(waker);
        slot.loosen(loose);
        slot.dispatched = true;
        self.open.remove(&slot.order);
        self.progress += 1;
        Poll::Ready(outcome)
    }

    fn let_go(&mut self, fid: &FrameId, loose: &mut Loose) {
        let Some(slot) = self.slots.get_mut(fid).filter(|_| !self.closed) else {
            return; // the drive drops the whole workflow: nothing lost a race
        };
        slot.loosen(loose);
        slot.dispatched = true;
        slot.outcome = None;
        self.open.remove(&slot.order);
        self.decided
            .push_back(Entry::FrameDropped { fid: fid.clone() });
        self.dropped.push(fid.clone());
        self.progress += 1;
    }
}
