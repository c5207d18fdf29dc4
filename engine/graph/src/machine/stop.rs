//! How a run stops: by a failure or by a cancel.
//!
//! Nothing more begins. What waits ends at once; aborts and cancels are requested; steps run to
//! their end. The run ends once nothing is open.

use super::attempt::{Abort, Evidence, Role};
use super::checkpoint::{Admission, Phase, Staged};
use super::control::Open;
use super::event::{Command, Handled, Rejection, Step};
use super::failure::Failure;
use super::rules::Rules;
use super::start::Machine;
use super::transition::{Disallowed, Transition};
use super::work::Work;

impl<R: Rules> Machine<R> {
    /// Stops the run by a failure.
    pub(super) fn failing(&mut self, failure: Failure) -> Result<Step, Disallowed> {
        self.enter(Transition::Failing)?;
        self.checkpoint.phase = Phase::Failing {
            failure,
            cancel: None,
        };
        let commands = self.stop();
        Ok(self.step(Transition::Failing, commands))
    }

    /// Stops the run by a cancel, or records it while the run fails.
    pub(super) fn cancel(&mut self, fence: Option<u64>) -> Result<Handled, Rejection> {
        let sequence = self.checkpoint.sequence;
        if let Some(accepted) = self.checkpoint.phase.cancel() {
            return match fence {
                Some(fence) if fence != accepted => {
                    Err(self.conflict("another cancel was accepted"))
                }
                _ => Ok(Handled::Already { sequence: accepted }),
            };
        }
        if self.checkpoint.phase.is_terminal() {
            return Err(self.conflict("the run has ended"));
        }
        self.fence(fence)?;
        self.enter(Transition::CancelIntent)?;
        let commands = if let Phase::Failing { cancel, .. } = &mut self.checkpoint.phase {
            *cancel = Some(sequence);
            Vec::new()
        } else {
            self.checkpoint.phase = Phase::Cancelling { cancel: sequence };
            self.stop()
        };
        Ok(Handled::Moved(
            self.step(Transition::CancelIntent, commands),
        ))
    }

    /// Ends what waits, and requests the end of what works.
    fn stop(&mut self) -> Vec<Command> {
        self.work.begin_nothing();
        self.halting = None;
        self.pause_due = false;
        let mut commands = Vec::new();
        let mut ended = Vec::new();
        for (slot, control) in &mut self.checkpoint.controls {
            let at = control.sequence;
            match &mut control.open {
                Open::Input | Open::Inputs(_) | Open::Sleep => ended.push(*slot),
                Open::Children => commands.push(Command::CancelChildren { control: at }),
                Open::Attempt(attempt) => match (&attempt.evidence, attempt.role) {
                    (Evidence::Retry { .. }, _) => ended.push(*slot),
                    (_, Role::Action | Role::AtMostOnce) => {}
                    // Without an identity there is nothing that could be aborted.
                    (Evidence::Unknown { identity: None, .. }, _) => {
                        attempt.abort = attempt.abort.max(Abort::Unknown);
                    }
                    (_, Role::Agent) if attempt.abort == Abort::Idle => {
                        attempt.abort = Abort::Intended;
                        commands.push(Command::Abort { control: at });
                    }
                    (_, Role::Agent) => {}
                },
            }
        }
        for slot in ended {
            let control = self.close(slot).sequence;
            commands.push(Command::Close { control });
        }
        commands
    }

    /// Removes a control of a stopping run without an outcome.
    pub(super) fn attempt_settled(&mut self, slot: usize) -> Result<Step, Disallowed> {
        self.enter(Transition::AttemptSettled)?;
        self.close(slot);
        Ok(self.step(Transition::AttemptSettled, Vec::new()))
    }

    /// Ends a failing run. What is complete is kept for a retry.
    pub(super) fn failed(&mut self) -> Result<Step, Disallowed> {
        self.enter(Transition::Failed)?;
        self.kept = std::mem::take(&mut self.checkpoint.staged);
        self.kept
            .retain(|_, staged| matches!(staged, Staged::Complete(_)));
        let ending = std::mem::replace(&mut self.checkpoint.phase, Phase::Active);
        if let Phase::Failing { failure, cancel } = ending {
            self.checkpoint.phase = Phase::Failed { failure, cancel };
        }
        Ok(self.step(Transition::Failed, Vec::new()))
    }

    /// Ends a cancelling run.
    pub(super) fn cancelled(&mut self) -> Result<Step, Disallowed> {
        self.enter(Transition::Cancelled)?;
        self.checkpoint.staged.clear();
        if let Phase::Cancelling { cancel } = self.checkpoint.phase {
            self.checkpoint.phase = Phase::Cancelled { cancel };
        }
        Ok(self.step(Transition::Cancelled, Vec::new()))
    }

    /// Returns whether a failed run can be retried.
    ///
    /// # Errors
    /// `Conflict` if it has not failed, was cancelled, or its failure has no ordinal; `StaleFence`
    /// if the fence is not the present sequence.
    pub fn retryable(&self, fence: Option<u64>) -> Result<(), Rejection> {
        match &self.checkpoint.phase {
            Phase::Failed { failure, cancel } => {
                if cancel.is_some() {
                    return Err(self.conflict("the run was cancelled"));
                }
                if failure.ordinal.is_none() {
                    return Err(self.conflict("the failure has no ordinal"));
                }
            }
            _ => return Err(self.conflict("the run has not failed")),
        }
        self.fence(fence)
    }

    /// Continues a failed run: complete outcomes are staged again, the others run again.
    pub(super) fn failed_retry(&mut self, fence: Option<u64>) -> Result<Handled, Rejection> {
        self.retryable(fence)?;
        self.enter(Transition::FailedRetry)?;
        self.work = Work::of(&self.topology, &self.checkpoint.frontier);
        self.checkpoint.staged = std::mem::take(&mut self.kept);
        self.checkpoint.phase = Phase::Active;
        self.checkpoint.admission = Admission::Background;
        self.bound = None;
        self.generation += 1;
        Ok(Handled::Moved(
            self.step(Transition::FailedRetry, Vec::new()),
        ))
    }

    fn fence(&self, fence: Option<u64>) -> Result<(), Rejection> {
        let found = self.checkpoint.sequence;
        match fence {
            Some(expected) if expected != found => Err(Rejection::StaleFence { expected, found }),
            _ => Ok(()),
        }
    }

    pub(super) const fn conflict(&self, reason: &'static str) -> Rejection {
        Rejection::Conflict {
            reason,
            sequence: self.checkpoint.sequence,
        }
    }
}
