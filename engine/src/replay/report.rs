//! What the runtime asks a drive: which steps are to run, what is waited for.

use std::sync::Arc;

use jiff::Timestamp;

use super::drive::Drive;
use super::slot::{Phase, Slot, What};
use super::table::State;
use crate::domain::{Channel, Digest, ExecutionId, FrameId};
use crate::sdk::StepOptions;

/// A step without outcome.
#[derive(Debug, Clone)]
pub(crate) struct StepState {
    /// The frame.
    pub(crate) fid: FrameId,
    /// Where its attempts stand.
    pub(crate) phase: Phase,
    /// How many attempts vanished.
    pub(crate) lost: u32,
    /// What it was asked to be.
    pub(crate) options: Arc<StepOptions>,
    /// Digest of a `call`'s input: belongs into its `frame.started`.
    pub(crate) input: Option<Digest>,
}

/// A frame that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenFrame {
    /// The frame.
    pub(crate) fid: FrameId,
    /// For what it waits.
    pub(crate) waits_for: WaitsFor,
    /// Until when: of a sleep, of a receive with a time-out, of a step before its next attempt.
    pub(crate) due: Option<Timestamp>,
}

/// What a frame waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WaitsFor {
    /// The outcome of a step.
    Step,
    /// An instant.
    Sleep,
    /// A message on this channel.
    Receive(Channel),
    /// The end of this child.
    Child(ExecutionId),
}

impl Drive {
    /// The steps without outcome that were not dropped, in order of registration.
    pub(crate) fn steps(&self) -> Vec<StepState> {
        let state = self.table.lock();
        let steps = state
            .open
            .values()
            .filter_map(|fid| step_state(&state, fid));
        steps.collect()
    }

    /// The same of one step.
    pub(crate) fn step(&self, fid: &FrameId) -> Option<StepState> {
        let state = self.table.lock();
        let open = |slot: &Slot| state.open.contains_key(&slot.order);
        state.slots.get(fid).filter(|slot| open(slot))?;
        step_state(&state, fid)
    }

    /// The frames that nothing has come for and that were not dropped, in order of
    /// registration.
    pub(crate) fn open(&self) -> Vec<OpenFrame> {
        let state = self.table.lock();
        let open = state.open.values().filter_map(|fid| {
            let (waits_for, due) = match &state.slots.get(fid)?.what {
                What::Step { phase, .. } => match phase {
                    Phase::Backoff { due, .. } => (WaitsFor::Step, Some(*due)),
                    Phase::Fresh | Phase::Started { .. } => (WaitsFor::Step, None),
                },
                What::Sleep { due } => (WaitsFor::Sleep, Some(*due)),
                What::Receive { channel, due, .. } => (WaitsFor::Receive(channel.clone()), *due),
                What::Child { eid, .. } => (WaitsFor::Child(*eid), None),
                What::Recorded | What::Sent { .. } | What::Announced { .. } => return None,
            };
            Some(OpenFrame {
                fid: fid.clone(),
                waits_for,
                due,
            })
        });
        open.collect()
    }
}

fn step_state(state: &State, fid: &FrameId) -> Option<StepState> {
    let What::Step {
        phase,
        lost,
        options,
        input,
        ..
    } = &state.slots.get(fid)?.what
    else {
        return None;
    };
    Some(StepState {
        fid: fid.clone(),
        phase: phase.clone(),
        lost: *lost,
        options: Arc::clone(options),
        input: input.clone(),
    })
}
