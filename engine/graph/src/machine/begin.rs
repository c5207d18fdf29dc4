//! How the ready activations begin.

use std::sync::Arc;

use super::attempt::{Abort, Attempt, Evidence, Role};
use super::checkpoint::Staged;
use super::control::{Control, Open};
use super::event::{Command, Step};
use super::rules::{Complete, Rules};
use super::start::Machine;
use super::transition::{Disallowed, Transition};
use super::work::id;
use crate::definition::{Kind, Name};
use crate::program::Begin;

impl<R: Rules> Machine<R> {
    /// Computes the expressions of all ready activations on the state of the barrier.
    pub(super) fn plan(&mut self) {
        // Nothing moved, so this is no step of the computation that the limit counts.
        self.computed -= 1;
        self.work.planned = true;
        for at in 0..self.work.ready.len() {
            let slot = self.work.ready[at];
            if self.checkpoint.staged.contains_key(&slot) {
                continue;
            }
            let node = &self.checkpoint.frontier[slot].node;
            match self.rules.begin(node, &self.checkpoint.state) {
                Ok(Begin::Decided(contributions)) => {
                    let complete = Arc::new(Complete::of(contributions));
                    self.work.decided.insert(slot, Staged::Complete(complete));
                }
                Ok(asks) => {
                    self.work.parks.insert(slot, Arc::new(asks));
                }
                Err(error) => {
                    let failure = self.failure(slot, error.category(), error.to_string());
                    self.work.decided.insert(slot, Staged::Failed(failure));
                }
            }
        }
    }

    /// Stages everything that is decided without waiting in one transition.
    pub(super) fn stage_decided(&mut self) -> Result<Step, Disallowed> {
        self.enter(Transition::Stage)?;
        for (slot, staged) in std::mem::take(&mut self.work.decided) {
            self.put(slot, staged);
        }
        Ok(self.step(Transition::Stage, Vec::new()))
    }

    /// Begins an activation that waits, or the attempt that follows its inputs.
    pub(super) fn park(&mut self, slot: usize, now: u64) -> Result<Step, Disallowed> {
        self.enter(Transition::Park)?;
        let given = self.work.parks.remove(&slot);
        let given = given.expect("what is parked was planned");
        let span = self.node(slot).1.deadline().as_millis();
        let times = (now, now.saturating_add(span));
        let (_, deadline) = *self.work.began.entry(slot).or_insert(times);
        self.work.deadlines.insert((deadline, slot));
        let open = self.opens(slot, &given);
        let mut control = Control {
            sequence: self.checkpoint.sequence,
            deadline,
            given,
            asked: None,
            open,
        };
        let mut commands = Vec::new();
        if matches!(control.open, Open::Input | Open::Inputs(_)) {
            commands.push(ask(&mut control, now));
        } else {
            commands.push(self.begins(slot, &control));
        }
        self.put_control(slot, control);
        self.computed = 0;
        Ok(self.step(Transition::Park, commands))
    }

    /// Begins the next attempt as a new control.
    pub(super) fn retry_ready(&mut self, slot: usize) -> Result<Step, Disallowed> {
        self.enter(Transition::RetryReady)?;
        let mut control = self.close(slot);
        control.sequence = self.checkpoint.sequence;
        control.asked = None;
        if let Open::Attempt(attempt) = &mut control.open {
            if let Evidence::Retry { wake, .. } = attempt.evidence {
                self.work.wakes.remove(&(wake, slot));
            }
            attempt.number += 1;
            // The next attempt keeps the identity: the runner continues in that conversation.
            attempt.kept = attempt.evidence.identity().cloned();
            attempt.evidence = Evidence::Intent;
            attempt.abort = Abort::Idle;
        }
        let commands = vec![self.begins(slot, &control)];
        self.put_control(slot, control);
        self.computed = 0;
        Ok(self.step(Transition::RetryReady, commands))
    }

    fn begins(&self, slot: usize, control: &Control) -> Command {
        Command::Begin {
            activation: id(&self.checkpoint.frontier, slot),
            control: control.sequence,
        }
    }

    /// Returns what is open of a node that begins.
    fn opens(&self, slot: usize, given: &Begin) -> Open {
        match given {
            Begin::Input(_) => Open::Input,
            Begin::SleepFor(_) | Begin::SleepUntil(_) => Open::Sleep,
            Begin::Children { .. } | Begin::Pipeline(_) => Open::Children,
            Begin::Decided(_) | Begin::Agent(_) => Open::Attempt(Attempt::first(self.role(slot))),
            Begin::Action(_) => match self.asks_for(slot) {
                Some(names) => Open::Inputs(names),
                None => Open::Attempt(Attempt::first(self.role(slot))),
            },
        }
    }

    /// Returns the names that an action asks for, sorted; nothing if all their values are there.
    fn asks_for(&self, slot: usize) -> Option<Vec<Name>> {
        let Kind::Action(action) = &self.node(slot).1.kind else {
            return None;
        };
        let given = |name: &Name| self.sealed.contains(name);
        if self.work.supplied.contains(&slot) || action.inputs.iter().all(given) {
            return None;
        }
        let mut names = action.inputs.clone();
        names.sort();
        Some(names)
    }

    fn role(&self, slot: usize) -> Role {
        match &self.node(slot).1.kind {
            Kind::Action(action) if action.at_most_once => Role::AtMostOnce,
            Kind::Agent(_) => Role::Agent,
            _ => Role::Action,
        }
    }

    fn put_control(&mut self, slot: usize, control: Control) {
        self.work.slots.insert(control.sequence, slot);
        self.checkpoint.controls.insert(slot, control);
    }

    /// Removes the control of an activation.
    pub(super) fn close(&mut self, slot: usize) -> Control {
        let control = self.checkpoint.controls.remove(&slot);
        let control = control.expect("a control that ends is open");
        self.work.slots.remove(&control.sequence);
        self.work.held.remove(&slot);
        // The agent can no longer confirm a decision that is intended.
        if let Some(asked) = control.asked {
            let at = (control.sequence, asked.generation);
            self.checkpoint.settlements.give_up(at);
        }
        control
    }
}

/// Asks in the next generation of a control.
pub(super) fn ask(control: &mut Control, now: u64) -> Command {
    control.ask(now);
    Command::Ask {
        control: control.sequence,
        generation: control.asked.map_or(0, |asked| asked.generation),
    }
}
