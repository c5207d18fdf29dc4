//! What a run asks a drive: which steps to run, and what the workflow waits for.

use jiff::Timestamp;
use serde::Serialize;

use super::drive::Drive;
use super::frames::FrameKind;
use super::frames::step::{Step, StepState};
use super::table::State;
use crate::domain::{Channel, ExecutionId, FrameId};

/// A frame that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenFrame {
    pub(crate) fid: FrameId,
    pub(crate) kind: FrameKind,
    /// Until when: of a sleep, of a receive with a time-out, of a step before its next attempt.
    pub(crate) due: Option<Timestamp>,
}

/// A frame that a workflow waits for, as a query shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AwaitedFrame {
    /// Its id.
    pub fid: FrameId,
    /// What it is.
    pub kind: FrameKind,
    /// Until when: of a sleep, of a receive with a time-out, of a step before its next attempt.
    pub due: Option<Timestamp>,
    /// The channel of a receive, the workflow of a child.
    pub about: Option<String>,
    /// The child execution.
    pub child: Option<ExecutionId>,
    /// The newest attempt of a step. It has failed if the step waits until `due`.
    pub attempt: Option<u32>,
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

    /// The same frames, as a query shows them.
    pub(crate) fn awaited(&self) -> Vec<AwaitedFrame> {
        let state = self.table.lock();
        let open = state.open.values().filter_map(|fid| {
            let frame = &state.slots.get(fid)?.frame;
            let (child, channel) = (frame.child(), frame.channel());
            let workflow = child.map(|(_, workflow)| workflow.to_string());
            Some(AwaitedFrame {
                fid: fid.clone(),
                kind: frame.kind(),
                due: frame.due(),
                about: workflow.or_else(|| channel.map(ToString::to_string)),
                child: child.map(|(eid, _)| eid),
                attempt: frame.step().and_then(Step::attempt),
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
