//! What a run is after a history of events.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::shape::{Act, Id, first};
use crate::Category;
use crate::definition::Definition;
use crate::machine::{Bound, Decision, Ending, Event};

/// What happens at a time. Without an event, time passes.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    pub(crate) now: u64,
    pub(crate) event: Option<Event>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Staged {
    Done {
        given: Vec<(String, Value)>,
        result: Value,
        halt: bool,
    },
    Failed(Failure),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure {
    pub(crate) category: Category,
    pub(crate) node: Option<String>,
    pub(crate) ordinal: Option<u64>,
}

/// What is open: its sequence, and, of an attempt, its number and when the next one begins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Open {
    pub(super) sequence: u64,
    pub(super) attempt: u64,
    pub(super) wake: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Phase {
    Active,
    Routing,
    Failing,
    Cancelling,
    Succeeded,
    Failed,
    Cancelled,
}

/// A run, rebuilt from its history.
#[derive(Debug, Clone)]
pub(crate) struct Replay {
    pub(super) definition: Arc<Definition>,
    pub(super) limits: crate::Limits,
    pub(super) names: Vec<&'static str>,
    pub(super) superstep: u64,
    pub(super) base: u64,
    pub(crate) state: BTreeMap<String, Value>,
    pub(super) frontier: Vec<Act>,
    pub(super) settled: BTreeMap<String, u64>,
    pub(super) staged: BTreeMap<(String, Id), Staged>,
    pub(super) open: BTreeMap<(String, Id), Open>,
    pub(super) began: BTreeMap<(String, Id), (u64, u64)>,
    pub(super) sources: Vec<(Act, Value)>,
    pub(crate) phase: Phase,
    /// All failures that count, the one that began the stop first.
    pub(super) failures: Vec<Failure>,
    pub(super) cancel: Option<u64>,
    pub(super) admission: String,
    pub(super) ordinals: u64,
    pub(super) position: Option<(String, u64)>,
    pub(super) outcomes: Vec<(String, u64, Value)>,
    pub(super) answers: BTreeMap<u64, Value>,
    pub(super) bound: Option<(Bound, u64)>,
    pub(super) pause_due: bool,
    pub(super) halting: Option<(String, Value)>,
    pub(super) kept: BTreeMap<(String, Id), Staged>,
    pub(super) computed: u64,
}

pub(super) fn key(act: &Act) -> (String, Id) {
    (act.node.clone(), act.id)
}

/// Replays a history; `None` in the list is an event that was rejected.
pub(crate) fn replay(
    definition: &Arc<Definition>,
    limits: crate::Limits,
    prepared: bool,
    history: &[Input],
) -> (Replay, Vec<Option<&'static str>>) {
    let mut run = Replay {
        definition: Arc::clone(definition),
        limits,
        names: Vec::new(),
        superstep: 0,
        base: 0,
        state: BTreeMap::from([("log".to_owned(), json!([]))]),
        frontier: first(definition),
        settled: BTreeMap::new(),
        staged: BTreeMap::new(),
        open: BTreeMap::new(),
        began: BTreeMap::new(),
        sources: Vec::new(),
        phase: Phase::Active,
        failures: Vec::new(),
        cancel: None,
        admission: if prepared { "prepared" } else { "background" }.to_owned(),
        ordinals: 0,
        position: None,
        outcomes: Vec::new(),
        answers: BTreeMap::new(),
        bound: None,
        pause_due: false,
        halting: None,
        kept: BTreeMap::new(),
        computed: 0,
    };
    let mut handled = Vec::new();
    for input in history {
        if let Some(event) = &input.event {
            let before = run.names.len();
            let what = run.handle(event, input.now);
            if run.names.len() > before {
                run.computed = 0;
            }
            handled.push(what);
        }
        run.follow(input.now);
    }
    (run, handled)
}

impl Replay {
    pub(super) fn sequence(&self) -> u64 {
        self.names.len() as u64
    }

    pub(super) fn stopping(&self) -> bool {
        matches!(self.phase, Phase::Failing | Phase::Cancelling)
    }

    pub(super) fn terminal(&self) -> bool {
        matches!(
            self.phase,
            Phase::Succeeded | Phase::Failed | Phase::Cancelled
        )
    }

    /// The failure of the run: without ordinal the one that began the stop, else the first in order.
    pub(crate) fn failure(&self) -> Option<&Failure> {
        let began = self.failures.first()?;
        if began.ordinal.is_none() {
            return Some(began);
        }
        self.failures
            .iter()
            .filter(|other| other.ordinal.is_some())
            .min_by_key(|other| other.ordinal)
    }

    /// Takes an event: what became of it, or nothing if it is rejected.
    fn handle(&mut self, event: &Event, now: u64) -> Option<&'static str> {
        match event {
            Event::Pause if self.stopping() || self.terminal() => None,
            Event::Pause if self.admission != "background" => Some("already"),
            Event::Pause => {
                self.pause();
                Some("moved")
            }
            Event::Resume(_) if self.stopping() || self.terminal() => None,
            Event::Resume(_) if self.admission == "background" => None,
            Event::Resume(bound) => {
                self.names.push("resumed");
                self.admission = "background".to_owned();
                self.bound = bound.clone().map(|bound| (bound, self.superstep));
                self.pause_due = false;
                Some("moved")
            }
            Event::Cancel(fence) => self.cancel(*fence),
            Event::Retried(fence) => self.retry(*fence),
            Event::Fail { category, .. } => {
                if self.stopping() || self.terminal() {
                    return Some("late");
                }
                let category = *category;
                self.fail(Failure {
                    category,
                    node: None,
                    ordinal: None,
                });
                Some("moved")
            }
            Event::Resolve(resolution) => {
                let Decision::Answer(value) = &resolution.decision else {
                    return None;
                };
                if let Some(known) = self.answers.get(&resolution.sequence) {
                    return (known == value).then_some("already");
                }
                let act = self.act_of(resolution.sequence)?;
                if !act.node.starts_with('i') {
                    return None;
                }
                self.names.push("resolve");
                self.answers.insert(resolution.sequence, value.clone());
                self.open.remove(&key(&act));
                let given = vec![("log".to_owned(), value.clone())];
                let result = json!({ "value": value });
                self.stage(
                    &act,
                    Staged::Done {
                        given,
                        result,
                        halt: false,
                    },
                );
                Some("moved")
            }
            Event::Stopped { control } => {
                let Some(act) = self.act_of(*control) else {
                    return Some("late");
                };
                if !self.stopping() {
                    return None;
                }
                self.names.push("attempt_settled");
                self.open.remove(&key(&act));
                Some("moved")
            }
            Event::Ended { control, ending } => {
                let Some(act) = self.act_of(*control) else {
                    return Some("late");
                };
                if act.node.starts_with('i') {
                    return None;
                }
                if self.open[&key(&act)].wake.is_some() {
                    return Some("late");
                }
                self.end(&act, ending, now);
                Some("moved")
            }
            other => panic!("the reference has no {other:?}"),
        }
    }

    pub(super) fn pause(&mut self) {
        self.names.push("paused");
        self.admission = "prepared".to_owned();
        self.bound = None;
        self.pause_due = false;
        self.computed = 0;
    }

    fn cancel(&mut self, fence: Option<u64>) -> Option<&'static str> {
        if let Some(accepted) = self.cancel {
            return fence
                .is_none_or(|fence| fence == accepted)
                .then_some("already");
        }
        if self.terminal() || fence.is_some_and(|fence| fence != self.sequence()) {
            return None;
        }
        self.cancel = Some(self.sequence());
        self.names.push("cancel_intent");
        if self.phase != Phase::Failing {
            self.phase = Phase::Cancelling;
            self.end_waits();
        }
        Some("moved")
    }

    fn retry(&mut self, fence: Option<u64>) -> Option<&'static str> {
        let ordered = self
            .failure()
            .is_some_and(|failure| failure.ordinal.is_some());
        let stale = fence.is_some_and(|fence| fence != self.sequence());
        if self.phase != Phase::Failed || !ordered || self.cancel.is_some() || stale {
            return None;
        }
        self.names.push("failed_retry");
        self.phase = Phase::Active;
        self.staged = std::mem::take(&mut self.kept);
        self.failures.clear();
        self.began.clear();
        self.admission = "background".to_owned();
        self.bound = None;
        Some("moved")
    }

    pub(super) fn fail(&mut self, failure: Failure) {
        self.names.push("failing");
        self.phase = Phase::Failing;
        self.failures = vec![failure];
        self.end_waits();
    }

    /// What waits ends when a run stops: inputs, sleeps, waits for the next attempt.
    fn end_waits(&mut self) {
        let waits = |node: &str, open: &Open| {
            node.starts_with('i') || node.starts_with('w') || open.wake.is_some()
        };
        self.open.retain(|(node, _), open| !waits(node, open));
    }

    fn act_of(&self, sequence: u64) -> Option<Act> {
        let found = self.open.iter().find(|(_, open)| open.sequence == sequence);
        let (node, id) = found.map(|(key, _)| key)?;
        self.frontier
            .iter()
            .find(|act| act.node == *node && act.id == *id)
            .cloned()
    }

    fn stage(&mut self, act: &Act, staged: Staged) {
        if let (Phase::Failing, Staged::Failed(failure)) = (self.phase, &staged) {
            self.failures.push(failure.clone());
        }
        self.staged.insert(key(act), staged);
    }

    fn end(&mut self, act: &Act, ending: &Ending, now: u64) {
        let child = act.node.starts_with('c');
        let complete = matches!(ending, Ending::Complete(_));
        if self.phase == Phase::Cancelling || (self.phase == Phase::Failing && child && complete) {
            self.names.push("attempt_settled");
            self.open.remove(&key(act));
            return;
        }
        let staged = match ending {
            Ending::Complete(complete) => {
                let given = complete.contributions.iter();
                let given = given
                    .map(|(key, value)| (key.to_string(), value.clone()))
                    .collect();
                let result = (*complete.result).clone();
                Staged::Done {
                    given,
                    result,
                    halt: complete.halt,
                }
            }
            Ending::Failed {
                category,
                retryable,
                ..
            } => {
                let number = self.open[&key(act)].attempt;
                let wake = now + 1_000 * 2_u64.pow(u32::try_from(number - 1).expect("few"));
                let may = act.node.starts_with('r') && *retryable && number < 3;
                let in_time = wake <= self.began[&key(act)].1;
                if may && in_time && self.phase == Phase::Active {
                    self.names.push("retry");
                    self.open.get_mut(&key(act)).expect("open").wake = Some(wake);
                    return;
                }
                Staged::Failed(self.failure_of(act, *category))
            }
        };
        self.names.push("stage");
        self.open.remove(&key(act));
        self.stage(act, staged);
    }
}
