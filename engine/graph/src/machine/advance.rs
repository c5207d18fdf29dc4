//! What a run does without an event.

use super::due::Due;
use super::event::Step;
use super::rules::Rules;
use super::start::Machine;
use super::transition::Disallowed;

impl<R: Rules> Machine<R> {
    /// Makes the next transition that follows without an event at `now`, in milliseconds.
    ///
    /// The order within a superstep is: one `stage` of everything that is decided without waiting,
    /// one `park` for each other ready activation, and, after the events, `barrier` and `routed`.
    ///
    /// # Errors
    /// [`Disallowed`] if the table does not permit what follows, which is a bug of the machine.
    pub fn advance(&mut self, now: u64) -> Result<Option<Step>, Disallowed> {
        loop {
            let Some(due) = self.due(Some(now)) else {
                return Ok(None);
            };
            self.computed += 1;
            return match due {
                Due::Plan => {
                    self.plan();
                    continue;
                }
                Due::Stage => self.stage_decided(),
                Due::Park(slot) => self.park(slot, now),
                Due::RetryReady(slot) => self.retry_ready(slot),
                Due::Held(slot) => self.take_held(slot, now),
                Due::Failing(failure) => self.failing(failure),
                Due::Barrier => self.barrier(),
                Due::Routed => self.routed(),
                Due::Halted => self.halted(),
                Due::Paused => self.paused(),
                Due::AttemptSettled(slot) => self.attempt_settled(slot),
                Due::Succeeded => self.succeeded(),
                Due::Failed => self.failed(),
                Due::Cancelled => self.cancelled(),
            }
            .map(Some);
        }
    }
}
