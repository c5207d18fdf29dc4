//! A decision of an interaction: exactly one for each generation.

use std::sync::Arc;

use serde_json::Value;

use super::attempt::{Abort, Attempt, Evidence, Role};
use super::begin::ask;
use super::checkpoint::{Phase, Staged};
use super::control::{Control, Open};
use super::event::{Command, Handled, Rejection, Step};
use super::rules::{Complete, Rules};
use super::settlement::{Decision, Resolution, SettlementState};
use super::start::Machine;
use super::transition::{Disallowed, Transition};
use crate::Category;
use crate::definition::Kind;

/// What a resolution leads to.
enum Verdict {
    /// It was decided before.
    Repeated(Handled),
    /// It is valid for this activation.
    Take(usize),
}

impl<R: Rules> Machine<R> {
    /// Checks a resolution as the process of its caller does, before it is sent.
    ///
    /// # Errors
    /// `StaleFence` for an earlier generation without a decision, `Conflict` for another decision
    /// or an interaction that is not actionable, `InvalidInput` for an invalid value.
    pub fn resolvable(&self, resolution: &Resolution, now: u64) -> Result<(), Rejection> {
        if let Verdict::Take(slot) = self.verdict(resolution)? {
            self.valid(slot, &resolution.decision, now)?;
        }
        Ok(())
    }

    /// Takes a decision.
    pub(super) fn resolve(
        &mut self,
        resolution: Resolution,
        now: u64,
    ) -> Result<Handled, Rejection> {
        let slot = match self.verdict(&resolution)? {
            Verdict::Repeated(handled) => return Ok(handled),
            Verdict::Take(slot) => slot,
        };
        match self.valid(slot, &resolution.decision, now) {
            Ok(()) => {}
            Err(Rejection::InvalidInput { reason }) => {
                return Ok(Handled::Moved(self.ask_again(slot, reason, now)?));
            }
            Err(rejection) => return Err(rejection),
        }
        Ok(Handled::Moved(self.take(slot, resolution, now)?))
    }

    fn verdict(&self, resolution: &Resolution) -> Result<Verdict, Rejection> {
        let (sequence, generation) = (resolution.sequence, resolution.generation);
        if let Some(made) = self.checkpoint.settlements.get(sequence, generation) {
            if made.digest != resolution.decision.digest() {
                return Err(self.conflict("another decision was taken"));
            }
            return Ok(Verdict::Repeated(match made.state {
                SettlementState::Intended => Handled::Intended,
                SettlementState::Applied { sequence } => Handled::Already { sequence },
                SettlementState::Uncertain => Handled::Already {
                    sequence: self.checkpoint.sequence,
                },
            }));
        }
        let Some(&slot) = self.work.slots.get(&sequence) else {
            return Err(self.conflict("the interaction has ended"));
        };
        let Some(asked) = self.checkpoint.controls[&slot].asked else {
            return Err(self.conflict("nothing was asked"));
        };
        if asked.generation != generation {
            return Err(Rejection::StaleFence {
                expected: generation,
                found: asked.generation,
            });
        }
        Ok(Verdict::Take(slot))
    }

    /// Validates a decision of the kind that the interaction asks for.
    fn valid(&self, slot: usize, decision: &Decision, now: u64) -> Result<(), Rejection> {
        let (node, _) = self.node(slot);
        let active = self.checkpoint.phase == Phase::Active;
        let invalid = |reason| Rejection::InvalidInput { reason };
        match (&self.checkpoint.controls[&slot].open, decision) {
            (Open::Input, Decision::Answer(value)) => {
                let answer = self.rules.answer(node, value.clone());
                answer.map(drop).map_err(|error| invalid(error.to_string()))
            }
            (Open::Inputs(asked), Decision::Sealed { names, .. }) => {
                if asked == names {
                    return Ok(());
                }
                Err(invalid(format!(
                    "the names differ: asked={asked:?}, given={names:?}"
                )))
            }
            (Open::Attempt(attempt), decision) => match (&attempt.evidence, decision) {
                (Evidence::Waiting { .. }, Decision::Answer(_)) if active => Ok(()),
                (Evidence::Unknown { .. }, Decision::Accept(values)) => {
                    self.actionable(attempt)?;
                    for (key, value) in values {
                        if !self.definition.state.contains_key(key) {
                            return Err(invalid(format!("unknown key of the state: key={key}")));
                        }
                        let fits = self.rules.contribution(key, value);
                        fits.map_err(|error| invalid(error.to_string()))?;
                    }
                    Ok(())
                }
                (Evidence::Unknown { .. }, Decision::Fail { .. }) => self.actionable(attempt),
                (Evidence::Unknown { .. }, Decision::Retry { forced }) if active => {
                    let forced = forced.is_some() && attempt.role == Role::AtMostOnce;
                    if !attempt.retry_safe() && !forced {
                        return Err(self.conflict("a retry could repeat the effect"));
                    }
                    let ahead = self.checkpoint.controls[&slot].deadline > now;
                    match self.wake(slot, now).filter(|_| ahead) {
                        Some(_) => Ok(()),
                        None => Err(self.conflict("the policy permits no further attempt")),
                    }
                }
                _ => Err(self.conflict("the interaction does not permit this decision now")),
            },
            _ => Err(self.conflict("the decision is of another kind")),
        }
    }

    /// In a stopping run, an agent's unknown waits for its abort.
    fn actionable(&self, attempt: &Attempt) -> Result<(), Rejection> {
        let waits = attempt.role == Role::Agent && attempt.abort != Abort::Unknown;
        if self.checkpoint.phase.is_stopping() && waits {
            return Err(self.conflict("the abort is under way"));
        }
        Ok(())
    }

    fn take(&mut self, slot: usize, taken: Resolution, now: u64) -> Result<Step, Disallowed> {
        let at = (taken.sequence, taken.generation);
        let applied = SettlementState::Applied {
            sequence: self.checkpoint.sequence + 1,
        };
        let given = taken.decision.clone();
        match taken.decision {
            Decision::Answer(value) => {
                let (node, _) = self.node(slot);
                if self.checkpoint.controls[&slot].open != Open::Input {
                    return self.pass(slot, at, given, value);
                }
                let finished = self.rules.answer(node, value);
                let complete = Complete::from(finished.expect("the answer was validated"));
                self.enter(Transition::Resolve)?;
                self.record(at, given, applied);
                self.close(slot);
                self.put(slot, Staged::Complete(Arc::new(complete)));
                Ok(self.step(Transition::Resolve, Vec::new()))
            }
            Decision::Sealed { .. } => {
                self.enter(Transition::Settlement)?;
                self.record(at, given, applied);
                let control = self.close(slot);
                self.work.supplied.insert(slot);
                self.work.parks.insert(slot, control.given);
                Ok(self.step(Transition::Settlement, Vec::new()))
            }
            Decision::Accept(values) => {
                let complete = Complete::of(values.into_iter().collect());
                self.enter(Transition::Resolve)?;
                self.record(at, given, applied);
                self.close(slot);
                // In a failing run it is kept for a retry: the effect happened.
                if !matches!(self.checkpoint.phase, Phase::Cancelling { .. }) {
                    self.put(slot, Staged::Complete(Arc::new(complete)));
                }
                Ok(self.step(Transition::Resolve, Vec::new()))
            }
            Decision::Fail { message } => {
                self.enter(Transition::Resolve)?;
                self.record(at, given, applied);
                self.close(slot);
                // In a stopping run it settles the effect, and is no failure.
                if self.checkpoint.phase == Phase::Active {
                    let category = match self.node(slot).1.kind {
                        Kind::Agent(_) => Category::Agent,
                        _ => Category::Action,
                    };
                    let failure = self.failure(slot, category, message);
                    self.put(slot, Staged::Failed(failure));
                }
                Ok(self.step(Transition::Resolve, Vec::new()))
            }
            Decision::Retry { .. } => {
                let wake = self.wake(slot, now).expect("the policy was asked before");
                let step = self.retry(slot, wake)?;
                self.record(at, given, applied);
                Ok(step)
            }
        }
    }

    /// Intends the answer to an agent's question and passes it on.
    fn pass(
        &mut self,
        slot: usize,
        at: (u64, u64),
        decision: Decision,
        value: Value,
    ) -> Result<Step, Disallowed> {
        self.enter(Transition::Settlement)?;
        self.record(at, decision, SettlementState::Intended);
        let commands = vec![Command::Pass {
            control: self.checkpoint.controls[&slot].sequence,
            generation: at.1,
            value,
        }];
        Ok(self.step(Transition::Settlement, commands))
    }

    /// Asks in the next generation, because what came for this one is no decision.
    pub(super) fn unusable(&mut self, slot: usize, now: u64) -> Result<Handled, Rejection> {
        let control = &self.checkpoint.controls[&slot];
        let at = control
            .asked
            .map(|asked| (control.sequence, asked.generation));
        let open = at.is_some_and(|(sequence, generation)| {
            self.checkpoint
                .settlements
                .get(sequence, generation)
                .is_none()
        });
        if !open {
            let reason = "no decision is awaited";
            return Err(self.disallowed(Transition::Settlement, reason).into());
        }
        self.enter(Transition::Settlement)?;
        let control = self.checkpoint.controls.get_mut(&slot);
        let commands = vec![ask(control.expect("the control was read above"), now)];
        Ok(Handled::Moved(self.step(Transition::Settlement, commands)))
    }

    /// Refuses an invalid value that reached the run, and asks in the next generation.
    fn ask_again(&mut self, slot: usize, reason: String, now: u64) -> Result<Step, Disallowed> {
        self.enter(Transition::Settlement)?;
        let control: Option<&mut Control> = self.checkpoint.controls.get_mut(&slot);
        let again = ask(control.expect("the control was read above"), now);
        let commands = vec![Command::Refuse { reason }, again];
        Ok(self.step(Transition::Settlement, commands))
    }

    fn record(&mut self, at: (u64, u64), decision: Decision, state: SettlementState) {
        let most = self.limits.settlements;
        self.checkpoint
            .settlements
            .record(at, decision, state, most);
    }
}
