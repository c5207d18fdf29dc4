//! What follows when the work of a control ends.

use std::sync::Arc;

use super::attempt::{Abort, Attempt, Evidence};
use super::checkpoint::{Phase, Staged};
use super::control::Open;
use super::event::{Ending, Handled, Rejection, Step};
use super::rules::Rules;
use super::start::Machine;
use super::transition::{Disallowed, Transition};

impl<R: Rules> Machine<R> {
    /// Takes the end of a control's work.
    pub(super) fn ended(
        &mut self,
        slot: usize,
        ending: Ending,
        now: u64,
    ) -> Result<Handled, Rejection> {
        let stopping = self.checkpoint.phase.is_stopping();
        match &self.checkpoint.controls[&slot].open {
            Open::Input | Open::Inputs(_) => {
                let reason = "an interaction ends by a resolution";
                return Err(self.disallowed(Transition::Stage, reason).into());
            }
            Open::Attempt(attempt) => match attempt.evidence {
                Evidence::Retry { .. } => return Ok(Handled::Late),
                Evidence::Unknown { .. } if attempt.abort == Abort::Applied => {
                    return Ok(Handled::Late);
                }
                Evidence::Waiting { .. } if !stopping => {
                    self.work.held.entry(slot).or_insert(ending);
                    return Ok(Handled::Held);
                }
                _ => {}
            },
            Open::Sleep | Open::Children => {}
        }
        Ok(Handled::Moved(self.end(slot, ending, now)?))
    }

    /// Takes an ending that waited for a question.
    pub(super) fn take_held(&mut self, slot: usize, now: u64) -> Result<Step, Disallowed> {
        let ending = self.work.held.remove(&slot);
        self.end(slot, ending.expect("an ending was held"), now)
    }

    fn end(&mut self, slot: usize, ending: Ending, now: u64) -> Result<Step, Disallowed> {
        let children = self.checkpoint.controls[&slot].open == Open::Children;
        match (&self.checkpoint.phase, &ending) {
            (Phase::Cancelling { .. }, _) => return self.attempt_settled(slot),
            // The stop ended children that did not fail by themselves.
            (Phase::Failing { .. }, Ending::Complete(_)) if children => {
                return self.attempt_settled(slot);
            }
            _ => {}
        }
        let staged = match ending {
            Ending::Complete(complete) => Staged::Complete(Arc::new(complete)),
            Ending::Failed {
                category,
                message,
                retryable,
            } => {
                // An attempt whose abort was requested is not made again by policy.
                let idle = |attempt: &mut Attempt| attempt.abort == Abort::Idle;
                let retryable = retryable && self.attempt_mut(slot).is_some_and(idle);
                let wake = self.wake(slot, now).filter(|_| retryable);
                if let (Some(wake), Phase::Active) = (wake, &self.checkpoint.phase) {
                    return self.retry(slot, wake);
                }
                Staged::Failed(self.failure(slot, category, message))
            }
        };
        self.enter(Transition::Stage)?;
        self.close(slot);
        self.put(slot, staged);
        Ok(self.step(Transition::Stage, Vec::new()))
    }

    /// Stages an outcome. In a failing run, a failure that is earlier in order replaces the
    /// failure of the run.
    pub(super) fn put(&mut self, slot: usize, staged: Staged) {
        self.work.end_deadline(slot);
        if let Staged::Failed(failure) = &staged {
            match &mut self.checkpoint.phase {
                Phase::Active => self.work.failed = true,
                Phase::Failing { failure: known, .. } => {
                    let earlier = matches!((failure.ordinal, known.ordinal),
                        (Some(new), Some(known)) if new < known);
                    if earlier {
                        *known = failure.clone();
                    }
                }
                _ => {}
            }
        }
        self.checkpoint.staged.insert(slot, staged);
    }

    /// Begins the wait for the next attempt.
    pub(super) fn retry(&mut self, slot: usize, wake: u64) -> Result<Step, Disallowed> {
        self.enter(Transition::Retry)?;
        self.work.wakes.insert((wake, slot));
        if let Some(attempt) = self.attempt_mut(slot) {
            let identity = attempt.evidence.identity().or(attempt.kept.as_ref());
            attempt.evidence = Evidence::Retry {
                identity: identity.cloned(),
                wake,
            };
        }
        Ok(self.step(Transition::Retry, Vec::new()))
    }

    /// Returns when the next attempt would begin, if the policy and the deadline permit one.
    pub(super) fn wake(&self, slot: usize, now: u64) -> Option<u64> {
        let Open::Attempt(attempt) = &self.checkpoint.controls[&slot].open else {
            return None;
        };
        let policy = self.node(slot).1.retry();
        let (began, deadline) = self.work.began.get(&slot).copied()?;
        let wake = now.checked_add(policy.wait_after(attempt.number).as_millis())?;
        let within = policy
            .within
            .map_or(u64::MAX, |within| began.saturating_add(within.as_millis()));
        let last = within.min(deadline);
        (attempt.number < policy.attempts.get() && wake <= last).then_some(wake)
    }

    pub(super) fn attempt_mut(&mut self, slot: usize) -> Option<&mut Attempt> {
        match &mut self.checkpoint.controls.get_mut(&slot)?.open {
            Open::Attempt(attempt) => Some(attempt),
            _ => None,
        }
    }
}
