//! What the journal says the workflow decided, it must have decided.

use super::slot::{Phase, What};
use super::table::State;
use super::trouble::{Position, Trouble};
use crate::domain::{Began, Entry, FrameId, Wait};

impl State {
    /// Work began: an attempt of a step, or a child.
    pub(super) fn began(
        &mut self,
        at: Position,
        entry: &Entry,
        fid: &FrameId,
        began: &Began,
    ) -> Result<(), Trouble> {
        match (began, self.slots.get_mut(fid).map(|slot| &mut slot.what)) {
            (
                Began::Step { attempt, input },
                Some(What::Step {
                    phase, input: own, ..
                }),
            ) if input == own => {
                *phase = Phase::Started { attempt: *attempt };
                Ok(())
            }
            (
                Began::Child {
                    eid,
                    workflow,
                    input,
                    waits,
                    ..
                },
                Some(What::Child {
                    eid: own_eid,
                    workflow: own,
                    input: own_input,
                    waits: own_waits,
                }),
            ) if workflow == own && input == own_input && waits == own_waits => {
                *own_eid = *eid; // the journal's counts
                self.expect(at, entry, |own| matches!(own, Entry::FrameStarted { .. }))
            }
            _ => Err(self.misfit(at, entry)),
        }
    }

    /// A frame waits.
    pub(super) fn suspended(
        &mut self,
        at: Position,
        entry: &Entry,
        fid: &FrameId,
        wait: &Wait,
    ) -> Result<(), Trouble> {
        match (wait, self.slots.get_mut(fid).map(|slot| &mut slot.what)) {
            (
                Wait::Retry {
                    attempt,
                    due,
                    lost: vanished,
                    ..
                },
                Some(What::Step { phase, lost, .. }),
            ) => {
                *phase = Phase::Backoff {
                    attempt: *attempt,
                    due: *due,
                };
                *lost += u32::from(vanished.0);
                return Ok(());
            }
            // Lengths may change between versions: what was promised first counts.
            (Wait::Sleep { due }, Some(What::Sleep { due: own })) => *own = *due,
            (
                Wait::Message { channel, due },
                Some(What::Receive {
                    channel: own,
                    due: own_due,
                    ..
                }),
            ) if channel == own && due.is_some() == own_due.is_some() => *own_due = *due,
            _ => return Err(self.misfit(at, entry)),
        }
        self.expect(at, entry, |own| matches!(own, Entry::FrameSuspended { .. }))
    }

    /// The workflow must have decided the same; that is then no news to the journal.
    pub(super) fn expect(
        &mut self,
        at: Position,
        entry: &Entry,
        fits: impl Fn(&Entry) -> bool,
    ) -> Result<(), Trouble> {
        let same = |own: &Entry| own.fid() == entry.fid() && fits(own);
        match self.decided.iter().position(same) {
            Some(index) => {
                self.decided.remove(index);
                Ok(())
            }
            None => Err(self.misfit(at, entry)),
        }
    }
}
