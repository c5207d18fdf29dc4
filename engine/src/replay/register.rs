//! A frame is registered: its id, its slot, its first entry.

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::frames::{Plan, Site, recorded};
use super::place::Place;
use super::slot::Slot;
use super::table::{State, Table};
use crate::domain::{FrameId, Json, Queue};
use crate::ports::Entropy;
use crate::replay::FrameError;

/// Why a frame was not registered.
pub(crate) enum Refused {
    /// An error for the workflow.
    Error(FrameError),
    /// The drive is over or about to be: the workflow is not polled again.
    Halted,
}

impl From<FrameError> for Refused {
    fn from(error: FrameError) -> Self {
        Self::Error(error)
    }
}

impl Table {
    pub(crate) fn register(&self, place: &Place, plan: impl Plan) -> Result<FrameId, Refused> {
        if !self.is_inside() {
            let frame = place.name.to_string();
            return Err(FrameError::Outside { frame }.into());
        }
        let mut state = self.lock();
        state.check_value(place, &plan)?;
        let fid = state.next_fid(place)?;
        match plan.queue() {
            Some(queue) if state.is_refused(&fid, queue) => {
                let queue = queue.clone();
                let value = Json::of(&format!("refused: queue={queue}"));
                let value = value.expect("a text is JSON");
                let fid = state.add(fid, place, recorded::Plan { value })?;
                Err(FrameError::UnknownQueue { fid, queue }.into())
            }
            _ => state.add(fid, place, plan),
        }
    }

    /// Notes that the workflow continues as new with this input, once it returns.
    pub(crate) fn continue_with(&self, input: Json) -> Result<(), FrameError> {
        let frame = "continue_as_new".to_owned();
        if !self.is_inside() {
            return Err(FrameError::Outside { frame });
        }
        let mut state = self.lock();
        let (bytes, max) = (input.as_str().len(), state.limits.max_value);
        if bytes > max {
            return Err(FrameError::PayloadTooLarge { frame, bytes, max });
        }
        state.continuation = Some(input);
        Ok(())
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
        let Some(fid) = inside.then(|| state.next_fid(place).ok()).flatten() else {
            return fresh(state.now, &*state.entropy);
        };
        // A journal that holds something else under this id does not fit this program, which
        // shows when that entry is delivered.
        let old = state.recorded.get(&fid).and_then(|json| json.get().ok());
        let value = old.unwrap_or_else(|| fresh(state.now, &*state.entropy));
        let json = Json::of(&value).expect("instants, uuids and numbers in [0, 1) are JSON");
        // Recorded values are shielded and have no deadline, so nothing refuses them.
        let _ = state.add(fid, place, recorded::Plan { value: json });
        value
    }
}

impl State {
    /// The id a frame gets. Nothing is counted yet.
    fn next_fid(&mut self, place: &Place) -> Result<FrameId, Refused> {
        if self.closed {
            return Err(Refused::Halted);
        }
        let fid = match &place.key {
            Some(key) => place.parent.keyed(&place.name, key),
            None => {
                let count = self.counts.get(&count_key(place)).copied();
                place.parent.nth(&place.name, count.unwrap_or_default())
            }
        };
        if self.slots.contains_key(&fid) {
            return Err(FrameError::Duplicate { fid }.into());
        }
        if self.slots.len() >= self.limits.max_frames as usize {
            self.overflow = true;
            return Err(Refused::Halted);
        }
        Ok(fid)
    }

    /// Returns whether a child on this queue is refused, because no worker of the deployment serves it.
    ///
    /// **\[R\] N9** The journal decides again as it did before: a refusal is recorded, and a child that
    /// was started is not refused. Bad interleaving: a deployment serves a queue no more, and a replay
    /// refuses the child that is running there.
    /// A child that is too deep is refused for that, whatever the queues: this is not recorded.
    fn is_refused(&self, fid: &FrameId, queue: &Queue) -> bool {
        if self.depth.is_max() {
            return false;
        }
        let served = self.queues.is_empty() || self.queues.contains(queue);
        let started = self.elsewhere.contains(fid);
        self.recorded.contains_key(fid) || !(served || started || *queue == self.queue)
    }

    /// Registers a frame under an id that is free. A plan that is refused registers nothing and
    /// counts nothing; a frame that begins after cancellation counts and is over at once.
    fn add(&mut self, fid: FrameId, place: &Place, plan: impl Plan) -> Result<FrameId, Refused> {
        let site = Site {
            fid: &fid,
            eid: self.eid,
            generation: self.generation,
            queue: &self.queue,
            depth: self.depth,
            code: &self.code,
            now: self.now,
        };
        let (frame, entry) = plan.begin(&site)?;
        let cancelled = self.cancelled && !place.shielded;
        let (order, waits) = (self.frames(), frame.waits() && !cancelled);
        if place.key.is_none() {
            *self.counts.entry(count_key(place)).or_default() += 1;
        }
        if waits {
            self.open.insert(order, fid.clone());
        }
        let slot = Slot {
            order,
            frame,
            shielded: place.shielded,
            waker: None,
            outcome: None,
            dispatched: !waits,
            // No entry will name a cancelled frame, so its absence from the journal means
            // nothing.
            known: cancelled,
        };
        self.slots.insert(fid.clone(), slot);
        self.progress += 1;
        if cancelled {
            return Err(FrameError::Cancelled { fid }.into());
        }
        self.decided.extend(entry);
        Ok(fid)
    }

    /// Frames registered so far.
    pub(super) fn frames(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }

    fn check_value(&self, place: &Place, plan: &impl Plan) -> Result<(), FrameError> {
        let bytes = plan.value().map_or(0, |value| value.as_str().len());
        let max = self.limits.max_value;
        if bytes <= max {
            return Ok(());
        }
        Err(FrameError::PayloadTooLarge {
            frame: place.name.to_string(),
            bytes,
            max,
        })
    }
}

fn count_key(place: &Place) -> String {
    format!("{}/{}", place.parent, place.name)
}
