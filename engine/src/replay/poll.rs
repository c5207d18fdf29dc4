//! What frame futures and plain calls do to the table.

use std::collections::VecDeque;
use std::task::{Poll, Waker};

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::plan::{Place, Plan, Refused};
use super::slot::{Outcome, What};
use super::table::{Loose, State, Table};
use crate::domain::{Entry, FrameId, Json, Wait};
use crate::ports::Entropy;
use crate::sdk::FrameError;

impl Table {
    /// Registers a frame.
    pub(crate) fn register(&self, place: &Place, plan: Plan) -> Result<FrameId, Refused> {
        if !self.is_inside() {
            let frame = place.name.to_string();
            return Err(FrameError::Outside { frame }.into());
        }
        self.lock().register(place, plan)
    }

    /// Polls a registered frame; `waker` replaces the one of its last poll.
    pub(crate) fn poll(&self, fid: &FrameId, waker: Waker) -> Poll<Outcome> {
        self.change(|state, loose| state.poll(fid, waker, loose))
    }

    /// The holder of a registered frame dropped it before it yielded.
    pub(crate) fn let_go(&self, fid: &FrameId) {
        self.change(|state, loose| state.let_go(fid, loose));
    }

    /// A recorded value: the journal's, or else a `fresh` one, which is recorded. Outside of the
    /// workflow (in a step, say) it is fresh and not recorded.
    pub(crate) fn recorded<T: Serialize + DeserializeOwned>(
        &self,
        place: &Place,
        fresh: impl FnOnce(Timestamp, &dyn Entropy) -> T,
    ) -> T {
        let inside = self.is_inside();
        let mut state = self.lock();
        let Some(fid) = inside.then(|| state.record(place)).flatten() else {
            return fresh(state.now, &*state.entropy);
        };
        // A journal that holds something else under this id does not fit this program, which
        // shows when that entry is delivered.
        let old = state.recorded.get(&fid).and_then(|json| json.get().ok());
        let value = old.unwrap_or_else(|| fresh(state.now, &*state.entropy));
        // Instants, uuids and numbers in [0, 1) are always JSON.
        if let Ok(json) = Json::of(&value) {
            state
                .decided
                .push_back(Entry::FrameRecorded { fid, value: json });
        }
        value
    }
}

impl State {
    fn poll(&mut self, fid: &FrameId, waker: Waker, loose: &mut Loose) -> Poll<Outcome> {
        let Some(slot) = self.slots.get_mut(fid).filter(|_| !self.closed) else {
            loose.wakers.push(waker);
            return Poll::Pending;
        };
        let mut outcome = slot.outcome.take();
        if let What::Receive {
            channel,
            due,
            suspended,
        } = &mut slot.what
            && outcome.is_none()
        {
            // Consumed by the poll that yields it: a dropped receive loses no message.
            let letter = self.inbox.get_mut(channel).and_then(VecDeque::pop_front);
            if let Some((mid, value)) = letter {
                outcome = Some(Outcome::Value(value));
                self.decided.push_back(Entry::FrameFulfilled {
                    fid: fid.clone(),
                    mid: Some(mid),
                });
            } else if !std::mem::replace(suspended, true) {
                self.decided.push_back(Entry::FrameSuspended {
                    fid: fid.clone(),
                    wait: Wait::Message {
                        channel: channel.clone(),
                        due: *due,
                    },
                });
            }
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
            return; // the drive lets go of the whole workflow: nothing lost a race
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
