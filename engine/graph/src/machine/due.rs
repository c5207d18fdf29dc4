//! What follows without an event.

use std::collections::BTreeSet;

use super::attempt::{Abort, Evidence, Role};
use super::checkpoint::{Admission, Phase, Staged};
use super::control::{Control, Open};
use super::failure::Failure;
use super::rules::Rules;
use super::start::Machine;
use crate::{Category, LimitExceeded};

/// What follows without an event.
#[derive(Debug)]
pub(super) enum Due {
    /// The expressions of the ready activations are computed; this is no transition.
    Plan,
    /// What is decided without waiting is staged.
    Stage,
    /// The first activation that waits begins.
    Park(usize),
    /// The next attempt begins.
    RetryReady(usize),
    /// An ending that waited for a question takes effect.
    Held(usize),
    /// A failure stops the run.
    Failing(Failure),
    /// All is staged.
    Barrier,
    /// The edges are evaluated.
    Routed,
    /// An action answered `halt`.
    Halted,
    /// The bound of the resume is reached.
    Paused,
    /// The abort of an attempt was proven before the run was stopped.
    AttemptSettled(usize),
    /// Nothing is left.
    Succeeded,
    /// Nothing is open.
    Failed,
    /// Nothing is open.
    Cancelled,
}

impl Due {
    /// Returns whether it begins work, so that a message to the run may come first.
    pub(super) const fn begins(&self) -> bool {
        matches!(self, Self::Plan | Self::Stage | Self::Park(_))
    }
}

impl<R: Rules> Machine<R> {
    /// Returns what follows at `now`; without a time, what follows at any time.
    pub(super) fn due(&self, now: Option<u64>) -> Option<Due> {
        let background = self.checkpoint.admission == Admission::Background;
        match &self.checkpoint.phase {
            Phase::Succeeded | Phase::Failed { .. } | Phase::Cancelled { .. } => None,
            Phase::Failing { .. } => self.draining(Due::Failed),
            Phase::Cancelling { .. } => self.draining(Due::Cancelled),
            Phase::Active if self.work.failed => self.first_staged_failure().map(Due::Failing),
            _ if self.computed >= self.limits.transitions => {
                let (found, most) = (self.computed, self.limits.transitions);
                Some(Due::Failing(limit("transitions", found, most)))
            }
            Phase::Routing { .. } if !background => None,
            Phase::Routing { .. } if self.halting.is_some() => Some(Due::Halted),
            Phase::Routing { .. } => Some(Due::Routed),
            Phase::Active => self.passed_deadline(now).or_else(|| {
                let held = self.work.held.keys().find(|slot| !self.asks(**slot));
                held.map(|slot| Due::Held(*slot))
                    .or_else(|| background.then(|| self.onward(now)).flatten())
            }),
        }
    }

    /// Returns what an active run does that is not paused.
    fn onward(&self, now: Option<u64>) -> Option<Due> {
        if self.checkpoint.frontier.is_empty() {
            return Some(Due::Succeeded);
        }
        if self.pause_due {
            return Some(Due::Paused);
        }
        if !self.work.planned {
            return Some(Due::Plan);
        }
        if !self.work.decided.is_empty() {
            return Some(Due::Stage);
        }
        if let Some(slot) = self.work.parks.keys().next() {
            return Some(Due::Park(*slot));
        }
        if let Some(slot) = now.and_then(|now| first(&self.work.wakes, now)) {
            return Some(Due::RetryReady(slot));
        }
        let all = self.checkpoint.staged.len() == self.work.ready.len();
        all.then_some(Due::Barrier)
    }

    /// Returns what a stopping run does: `end` once nothing is open.
    fn draining(&self, end: Due) -> Option<Due> {
        let controls = &self.checkpoint.controls;
        if controls.is_empty() {
            return Some(end);
        }
        if let Some(slot) = self.work.held.keys().next() {
            return Some(Due::Held(*slot));
        }
        let proven = |control: &Control| match &control.open {
            Open::Attempt(attempt) => {
                attempt.role == Role::Agent && attempt.abort == Abort::Applied
            }
            _ => false,
        };
        let (slot, _) = controls.iter().find(|(_, control)| proven(control))?;
        Some(Due::AttemptSettled(*slot))
    }

    fn passed_deadline(&self, now: Option<u64>) -> Option<Due> {
        let slot = first(&self.work.deadlines, now?)?;
        let (_, node) = self.node(slot);
        let message = format!("the deadline passed: deadline={}", node.deadline());
        Some(Due::Failing(self.failure(slot, Category::Timeout, message)))
    }

    fn first_staged_failure(&self) -> Option<Failure> {
        let mut staged = self.checkpoint.staged.values();
        staged.find_map(|staged| match staged {
            Staged::Failed(failure) => Some(failure.clone()),
            Staged::Complete(_) => None,
        })
    }

    /// Returns whether a question of the agent is open.
    pub(super) fn asks(&self, slot: usize) -> bool {
        matches!(
            self.checkpoint.controls.get(&slot).map(|control| &control.open),
            Some(Open::Attempt(attempt)) if matches!(attempt.evidence, Evidence::Waiting { .. })
        )
    }

    /// Returns the next time at which something follows without an event, in milliseconds.
    #[must_use]
    pub fn next_timer(&self) -> Option<u64> {
        if self.checkpoint.phase != Phase::Active {
            return None;
        }
        let background = self.checkpoint.admission == Admission::Background;
        let wake = background.then(|| self.work.wakes.first()).flatten();
        let times = self.work.deadlines.first().into_iter().chain(wake);
        times.map(|(at, _)| *at).min()
    }
}

/// Returns the first in order of those whose time has come.
fn first(times: &BTreeSet<(u64, usize)>, now: u64) -> Option<usize> {
    let come = times.range(..=(now, usize::MAX));
    come.map(|(_, slot)| *slot).min()
}

/// A failure `limit`, which has no ordinal.
pub(super) fn limit(name: &'static str, found: u64, most: u64) -> Failure {
    Failure {
        category: Category::Limit,
        message: LimitExceeded { name, found, most }.to_string(),
        node: None,
        ordinal: None,
    }
}
