//! Pause and resume.

use super::checkpoint::Admission;
use super::event::{Bound, Handled, Rejection, Step};
use super::rules::Rules;
use super::start::{Machine, known};
use super::transition::{Disallowed, Transition};

impl<R: Rules> Machine<R> {
    /// Pauses the run. A paused or halted run stays as it is.
    pub(super) fn pause(&mut self) -> Result<Handled, Rejection> {
        self.admissible()?;
        if self.checkpoint.admission != Admission::Background {
            let sequence = self.checkpoint.sequence;
            return Ok(Handled::Already { sequence });
        }
        Ok(Handled::Moved(self.paused()?))
    }

    pub(super) fn paused(&mut self) -> Result<Step, Disallowed> {
        self.enter(Transition::Paused)?;
        self.checkpoint.admission = Admission::Prepared;
        self.pause_due = false;
        self.bound = None;
        self.computed = 0;
        Ok(self.step(Transition::Paused, Vec::new()))
    }

    /// Continues a paused or halted run. The bound replaces an earlier one.
    pub(super) fn resume(&mut self, bound: Option<Bound>) -> Result<Handled, Rejection> {
        self.admissible()?;
        if self.checkpoint.admission == Admission::Background {
            return Err(self.conflict("the run is neither paused nor halted"));
        }
        if let Some(Bound::Before(node)) = &bound {
            known(&self.topology, node, "bound").map_err(|error| Rejection::InvalidInput {
                reason: error.to_string(),
            })?;
        }
        self.enter(Transition::Resumed)?;
        self.checkpoint.admission = Admission::Background;
        self.bound = bound.map(Into::into);
        self.pause_due = false;
        Ok(Handled::Moved(self.step(Transition::Resumed, Vec::new())))
    }

    fn admissible(&self) -> Result<(), Rejection> {
        if self.checkpoint.phase.is_terminal() {
            return Err(self.conflict("the run has ended"));
        }
        if self.checkpoint.phase.is_stopping() {
            return Err(self.conflict("the run is stopping"));
        }
        Ok(())
    }
}
