//! What a runner reports of an attempt: its evidence grows, and never shrinks.

use serde_json::Value;

use super::attempt::{Abort, Attempt, Evidence, Role};
use super::begin::ask;
use super::control::Open;
use super::event::{Command, Handled, Notice, Rejection};
use super::rules::Rules;
use super::settlement::SettlementState;
use super::start::Machine;
use super::transition::Transition;

/// What a notice does to an attempt.
enum Growth {
    /// Nothing: it was reported before, or the abort is decided.
    None,
    /// The evidence grows.
    Park(Change),
    /// A question is asked or settled.
    Settlement(Change),
    /// The abort of a stopping run is proven.
    Settled,
}

/// The new evidence and abort, and whether something is asked.
struct Change {
    evidence: Evidence,
    abort: Abort,
    asks: bool,
    settles: Option<SettlementState>,
}

impl<R: Rules> Machine<R> {
    /// Takes the report of a runner.
    pub(super) fn notice(
        &mut self,
        slot: usize,
        notice: Notice,
        now: u64,
    ) -> Result<Handled, Rejection> {
        let control = &self.checkpoint.controls[&slot];
        let Open::Attempt(attempt) = &control.open else {
            return Err(self.refuse("only an attempt has a runner"));
        };
        let at = (
            control.sequence,
            control.asked.map_or(0, |asked| asked.generation),
        );
        let decision = self.checkpoint.settlements.get(at.0, at.1);
        let intended = decision.is_some_and(|made| made.state == SettlementState::Intended);
        let stopping = self.checkpoint.phase.is_stopping();
        let growth = grow(attempt, notice, intended, stopping).map_err(|why| self.refuse(why))?;
        let (transition, change) = match growth {
            Growth::None => {
                let sequence = self.checkpoint.sequence;
                return Ok(Handled::Already { sequence });
            }
            Growth::Settled => return Ok(Handled::Moved(self.attempt_settled(slot)?)),
            Growth::Park(change) => (Transition::Park, change),
            Growth::Settlement(change) => (Transition::Settlement, change),
        };
        self.enter(transition)?;
        if let Some(state) = change.settles {
            let sequence = self.checkpoint.sequence;
            let state = match state {
                SettlementState::Applied { .. } => SettlementState::Applied { sequence },
                state => state,
            };
            self.checkpoint.settlements.change(at, state);
        }
        let mut commands = Vec::new();
        let control = self.checkpoint.controls.get_mut(&slot);
        let control = control.expect("the control was read above");
        if change.asks {
            commands.push(ask(control, now));
        }
        if let Open::Attempt(attempt) = &mut control.open {
            if attempt.abort == Abort::Idle && change.abort == Abort::Intended {
                let control = control.sequence;
                commands.push(Command::Abort { control });
            }
            attempt.evidence = change.evidence;
            attempt.abort = change.abort;
        }
        Ok(Handled::Moved(self.step(transition, commands)))
    }

    /// Takes the loss of an attempt that is made at most once.
    pub(super) fn lost(&mut self, slot: usize, now: u64) -> Result<Handled, Rejection> {
        match self
            .attempt_mut(slot)
            .map(|attempt| (attempt.role, &attempt.evidence))
        {
            Some((Role::AtMostOnce, Evidence::Intent)) => {}
            Some((Role::AtMostOnce, Evidence::Unknown { .. })) => {
                let sequence = self.checkpoint.sequence;
                return Ok(Handled::Already { sequence });
            }
            _ => return Err(self.refuse("only an attempt that is made at most once parks")),
        }
        self.enter(Transition::Park)?;
        let control = self.checkpoint.controls.get_mut(&slot);
        let control = control.expect("the control was read above");
        if let Open::Attempt(attempt) = &mut control.open {
            attempt.evidence = unknown(None, None);
        }
        let commands = vec![ask(control, now)];
        Ok(Handled::Moved(self.step(Transition::Park, commands)))
    }

    /// Asks again for values that were lost.
    pub(super) fn inputs_lost(&mut self, slot: usize, now: u64) -> Result<Handled, Rejection> {
        if !matches!(self.checkpoint.controls[&slot].open, Open::Inputs(_)) {
            return Err(self.refuse("only inputs are sealed"));
        }
        self.enter(Transition::Settlement)?;
        let control = self.checkpoint.controls.get_mut(&slot);
        let commands = vec![ask(control.expect("the control was read above"), now)];
        Ok(Handled::Moved(self.step(Transition::Settlement, commands)))
    }

    fn refuse(&self, reason: &'static str) -> Rejection {
        self.disallowed(Transition::Park, reason).into()
    }
}

/// Decides what a notice does. An error is a bug of the runner.
fn grow(
    attempt: &Attempt,
    notice: Notice,
    intended: bool,
    stopping: bool,
) -> Result<Growth, &'static str> {
    if matches!(notice, Notice::Absent) {
        return absent(attempt);
    }
    if attempt.role != Role::Agent {
        return Err("only an agent has a runner that reports");
    }
    let known = attempt.evidence.identity().or(attempt.kept.as_ref());
    let reported = match &notice {
        Notice::Dispatched(identity) | Notice::Asks(identity, _) => Some(identity),
        Notice::Unknown(identity) => identity.as_ref(),
        _ => None,
    };
    if known
        .zip(reported)
        .is_some_and(|(known, reported)| known != reported)
    {
        return Err("the identity of a conversation never changes");
    }
    let identity = reported.or(known).cloned();
    let change = |evidence, asks| Change {
        evidence,
        abort: attempt.abort,
        asks,
        settles: None,
    };
    match (&attempt.evidence, notice) {
        (Evidence::Retry { .. }, _) => Ok(Growth::None),
        (_, Notice::Aborted | Notice::AbortUnknown) if decided(attempt.abort) => Ok(Growth::None),
        (_, Notice::Aborted | Notice::AbortUnknown) if attempt.abort == Abort::Idle => {
            Err("no abort was requested")
        }
        (_, Notice::Aborted) if stopping => Ok(Growth::Settled),
        (evidence, Notice::Aborted) => Ok(Growth::Park(Change {
            abort: Abort::Applied,
            ..change(evidence.clone(), false)
        })),
        (Evidence::Unknown { .. }, Notice::AbortUnknown) => Ok(Growth::Park(Change {
            abort: Abort::Unknown,
            ..change(attempt.evidence.clone(), false)
        })),
        (evidence, Notice::AbortUnknown) => Ok(Growth::Park(Change {
            abort: Abort::Unknown,
            settles: intended.then_some(SettlementState::Uncertain),
            ..change(unknown(identity, evidence.notification().cloned()), true)
        })),
        (Evidence::Unknown { .. }, _) => Ok(Growth::None),
        (Evidence::Intent, Notice::Dispatched(identity)) => Ok(Growth::Park(change(
            Evidence::Dispatched { identity },
            false,
        ))),
        (_, Notice::Dispatched(_)) => Ok(Growth::None),
        (Evidence::Waiting { notification, .. }, Notice::Asks(_, again)) => {
            if *notification == again {
                return Ok(Growth::None);
            }
            Err("an agent asks again only after its question is settled")
        }
        (_, Notice::Asks(identity, notification)) => Ok(Growth::Settlement(change(
            Evidence::Waiting {
                identity,
                notification,
            },
            true,
        ))),
        (Evidence::Waiting { identity, .. }, Notice::Delivered) if intended => {
            let identity = identity.clone();
            Ok(Growth::Settlement(Change {
                settles: Some(SettlementState::Applied { sequence: 0 }),
                ..change(Evidence::Dispatched { identity }, false)
            }))
        }
        (_, Notice::Delivered) => Ok(Growth::None),
        (Evidence::Waiting { .. }, Notice::Uncertain) if !intended => {
            Err("only an intended decision can be uncertain")
        }
        (Evidence::Waiting { .. }, Notice::Uncertain | Notice::Unknown(_)) => {
            let notification = attempt.evidence.notification().cloned();
            let change = lose(attempt, identity, notification, stopping);
            Ok(if intended {
                Growth::Settlement(Change {
                    settles: Some(SettlementState::Uncertain),
                    ..change
                })
            } else {
                Growth::Park(change)
            })
        }
        (_, Notice::Uncertain) => Err("no question of the agent is open"),
        (_, Notice::Unknown(_)) => Ok(Growth::Park(lose(attempt, identity, None, stopping))),
        (_, Notice::Absent) => absent(attempt),
    }
}

fn decided(abort: Abort) -> bool {
    matches!(abort, Abort::Applied | Abort::Unknown)
}

/// The outcome becomes unknown. What has an identity is aborted without a decision.
fn lose(
    attempt: &Attempt,
    identity: Option<String>,
    notification: Option<Value>,
    stopping: bool,
) -> Change {
    let least = match &identity {
        Some(_) => Abort::Intended,
        // Nothing could be aborted, so a stopping run needs a decision.
        None if stopping => Abort::Unknown,
        None => Abort::Idle,
    };
    Change {
        evidence: unknown(identity, notification),
        abort: attempt.abort.max(least),
        asks: true,
        settles: None,
    }
}

fn unknown(identity: Option<String>, notification: Option<Value>) -> Evidence {
    Evidence::Unknown {
        identity,
        notification,
        absent: false,
    }
}

fn absent(attempt: &Attempt) -> Result<Growth, &'static str> {
    match (&attempt.evidence, attempt.role) {
        (Evidence::Unknown { absent: true, .. }, Role::AtMostOnce) => Ok(Growth::None),
        (Evidence::Unknown { .. }, Role::AtMostOnce) => Ok(Growth::Park(Change {
            evidence: Evidence::Unknown {
                identity: None,
                notification: None,
                absent: true,
            },
            abort: attempt.abort,
            asks: false,
            settles: None,
        })),
        _ => Err("only an unknown effect of an action can be absent"),
    }
}
