//! What a run asks a drive: which steps to run, and what the workflow waits for.

use jiff::Timestamp;

use super::drive::Drive;
use super::frames::FrameKind;
use super::frames::step::StepState;
use super::table::State;
use crate::domain::{Channel, FrameId};

/// A frame that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenFrame {
    pub(crate) fid: FrameId,
    pub(crate) kind: FrameKind,
    /// Until when: of a sleep, of a receive with a time-out, of a step before its next attempt.
    pub(crate) due: Option<Timestamp>,
}

impl Drive {
    /// The steps without outcome that were not dropped, in order of registration.
    pub(crate) fn steps(&self) -> Vec<StepState> {
        let state = self.table.lock();
        let steps = state.open.values().filter_map(|fid| state.step(fid));
        steps.collect()
    }

    /// The same of one step.
    pub(crate) fn step(&self, fid: &FrameId) -> Option<StepState> {
        let state = self.table.lock();
        let slot = state.slots.get(fid)?;
        let open = state.open.contains_key(&slot.order);
        open.then(|| state.step(fid)).flatten()
    }

    /// The messages that no `receive` has consumed, by channel.
    pub(crate) fn unread(&self) -> Vec<(Channel, usize)> {
        let state = self.table.lock();
        let unread = state.inbox.iter().filter(|(_, inbox)| !inbox.is_empty());
        unread
            .map(|(name, inbox)| (name.clone(), inbox.len()))
            .collect()
    }

    /// The frames that nothing has come for and that were not dropped, in order of
    /// registration.
    pub(crate) fn open(&self) -> Vec<OpenFrame> {
        let state = self.table.lock();
        let open = state.open.values().filter_map(|fid| {
            let frame = &state.slots.get(fid)?.frame;
            Some(OpenFrame {
                fid: fid.clone(),
                kind: frame.kind(),
                due: frame.due(),
            })
        });
        open.collect()
    }
}

impl State {
    fn step(&self, fid: &FrameId) -> Option<StepState> {
        let step = self.slots.get(fid)?.frame.step()?;
        Some(step.state(fid))
    }
}
