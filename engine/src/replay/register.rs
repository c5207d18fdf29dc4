//! A frame comes to be: its id, its slot, its first entry.

use super::plan::{Place, Plan, Refused};
use super::slot::{Slot, What};
use super::table::State;
use crate::domain::FrameId;
use crate::sdk::FrameError;

impl State {
    /// Registers a frame. What is refused registers nothing and counts nothing.
    pub(super) fn register(&mut self, place: &Place, plan: Plan) -> Result<FrameId, Refused> {
        self.check_values(place, &plan)?;
        let fid = self.next_fid(place)?;
        let silent = self.cancelled && !place.shielded;
        let (what, entry) = self.design(place, &fid, plan)?;
        let waits = match &what {
            What::Step { .. } | What::Sleep { .. } | What::Receive { .. } => true,
            What::Child { waits, .. } => *waits,
            What::Recorded | What::Sent { .. } | What::Announced { .. } => false,
        };
        self.insert(fid.clone(), place, what, waits && !silent);
        if silent {
            // No entry will name it, so its absence from the journal means nothing.
            self.slots.entry(fid.clone()).and_modify(|s| s.known = true);
            return Err(FrameError::Cancelled { fid }.into());
        }
        self.decided.extend(entry);
        Ok(fid)
    }

    /// Registers a recorded value: the journal's, or else a fresh one. `None` when the drive is
    /// over or about to be.
    pub(super) fn record(&mut self, place: &Place) -> Option<FrameId> {
        let fid = self.next_fid(place).ok()?;
        self.insert(fid.clone(), place, What::Recorded, false);
        Some(fid)
    }

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

    fn insert(&mut self, fid: FrameId, place: &Place, what: What, open: bool) {
        if place.key.is_none() {
            *self.counts.entry(count_key(place)).or_default() += 1;
        }
        let order = self.frames();
        if open {
            self.open.insert(order, fid.clone());
        }
        let slot = Slot {
            order,
            what,
            shielded: place.shielded,
            waker: None,
            outcome: None,
            dispatched: !open,
            known: false,
        };
        self.slots.insert(fid, slot);
        self.progress += 1;
    }

    /// Frames registered so far.
    pub(super) fn frames(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }

    fn check_values(&self, place: &Place, plan: &Plan) -> Result<(), FrameError> {
        let value = match plan {
            Plan::Child { args, .. } => args,
            Plan::Send { payload, .. } => payload,
            Plan::Announce { value, .. } => value,
            Plan::Step { .. } | Plan::Sleep(_) | Plan::SleepUntil(_) | Plan::Receive { .. } => {
                return Ok(());
            }
        };
        let (bytes, most) = (value.as_str().len(), self.limits.max_value);
        if bytes <= most {
            return Ok(());
        }
        Err(FrameError::PayloadTooLarge {
            frame: place.name.to_string(),
            bytes,
            most,
        })
    }
}

fn count_key(place: &Place) -> String {
    format!("{}/{}", place.parent, place.name)
}
