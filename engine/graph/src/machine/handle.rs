//! What a run does with an event.

use super::event::{Event, Handled, Rejection};
use super::failure::Failure;
use super::rules::Rules;
use super::start::Machine;
use super::transition::Transition;
use crate::Category;
use crate::frontier::ActivationId;

impl<R: Rules> Machine<R> {
    /// Takes one event at `now`, in milliseconds. It makes at most one transition.
    ///
    /// # Errors
    /// [`Rejection`] if the event is not permitted; nothing has changed then. A resolution whose
    /// value is invalid is no error here: the run refuses it and asks again.
    pub fn handle(&mut self, event: Event, now: u64) -> Result<Handled, Rejection> {
        let to_the_run = matches!(
            event,
            Event::Pause | Event::Resume(_) | Event::Cancel(_) | Event::Fail { .. }
        );
        let follows = self.due(None);
        if follows.is_some_and(|due| !(to_the_run && due.begins())) {
            let sequence = self.checkpoint.sequence;
            return Err(Rejection::Early { sequence });
        }
        let handled = match event {
            Event::Pause => self.pause(),
            Event::Resume(bound) => self.resume(bound),
            Event::Cancel(fence) => self.cancel(fence),
            Event::Retried(fence) => self.failed_retry(fence),
            Event::Resolve(resolution) => self.resolve(resolution, now),
            Event::Fail {
                category,
                message,
                activation,
            } => self.fail(category, message, activation),
            Event::Ended { control, ending } => match self.slot(control) {
                Some(slot) => self.ended(slot, ending, now),
                None => Ok(Handled::Late),
            },
            Event::Stopped { control } => match self.slot(control) {
                Some(slot) => Ok(Handled::Moved(self.attempt_settled(slot)?)),
                None => Ok(Handled::Late),
            },
            Event::Notice { control, notice } => match self.slot(control) {
                Some(slot) => self.notice(slot, notice, now),
                None => Ok(Handled::Late),
            },
            Event::Lost { control } => match self.slot(control) {
                Some(slot) => self.lost(slot, now),
                None => Ok(Handled::Late),
            },
            Event::InputsLost { control } => match self.slot(control) {
                Some(slot) => self.inputs_lost(slot, now),
                None => Ok(Handled::Late),
            },
            Event::Unusable { control } => match self.slot(control) {
                Some(slot) => self.unusable(slot, now),
                None => Ok(Handled::Late),
            },
        }?;
        if matches!(handled, Handled::Moved(_)) {
            self.computed = 0;
        }
        Ok(handled)
    }

    fn slot(&self, control: u64) -> Option<usize> {
        self.work.slots.get(&control).copied()
    }

    fn ready_slot(&self, activation: ActivationId) -> Option<usize> {
        let frontier = &self.checkpoint.frontier;
        let mut ready = self.work.ready.iter();
        ready
            .find(|slot| frontier[**slot].id == activation)
            .copied()
    }

    /// Fails the run by a hook, a limit or a bug of the caller.
    fn fail(
        &mut self,
        category: Category,
        message: String,
        activation: Option<ActivationId>,
    ) -> Result<Handled, Rejection> {
        if self.checkpoint.phase.is_stopping() || self.checkpoint.phase.is_terminal() {
            return Ok(Handled::Late);
        }
        let slot = match activation {
            Some(activation) => Some(self.ready_slot(activation).ok_or_else(|| {
                self.disallowed(Transition::Failing, "the activation is not ready")
            })?),
            None => None,
        };
        let failure = match slot {
            Some(slot) => self.failure(slot, category, message),
            None => Failure {
                category,
                message,
                node: None,
                ordinal: None,
            },
        };
        Ok(Handled::Moved(self.failing(failure)?))
    }
}
