//! What follows without an event.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::replay::{Failure, Open, Phase, Replay, Staged, key};
use super::shape::{Act, is, next, ready};
use crate::Category;
use crate::definition::When;
use crate::machine::Bound;

impl Replay {
    fn ready(&self) -> Vec<Act> {
        ready(&self.definition, &self.frontier)
    }

    pub(super) fn failure_of(&self, act: &Act, category: Category) -> Failure {
        let index = self
            .ready()
            .iter()
            .position(|other| other.id == act.id)
            .expect("ready");
        Failure {
            category,
            node: Some(act.node.clone()),
            ordinal: Some(self.ordinals + index as u64),
        }
    }

    /// Makes all transitions that follow at `now`.
    pub(super) fn follow(&mut self, now: u64) {
        loop {
            let before = self.names.len();
            match self.phase {
                Phase::Succeeded | Phase::Failed | Phase::Cancelled => return,
                Phase::Failing | Phase::Cancelling if !self.open.is_empty() => return,
                Phase::Failing => {
                    self.names.push("failed");
                    self.phase = Phase::Failed;
                    self.kept = std::mem::take(&mut self.staged);
                    self.kept
                        .retain(|_, staged| matches!(staged, Staged::Done { .. }));
                }
                Phase::Cancelling => {
                    self.names.push("cancelled");
                    self.phase = Phase::Cancelled;
                    self.staged.clear();
                }
                Phase::Active => self.active(now),
                Phase::Routing if self.exhausted() => self.limit(),
                Phase::Routing if self.admission != "background" => return,
                Phase::Routing => match self.halting.take() {
                    Some((node, result)) => {
                        self.names.push("halted");
                        self.admission = format!("halted {node} {result}");
                        self.computed = 0;
                    }
                    None => self.route(),
                },
            }
            if self.names.len() == before {
                return;
            }
            let last = self.names[self.names.len() - 1];
            self.computed += 1;
            if matches!(last, "park" | "retry_ready" | "paused" | "halted") {
                self.computed = 0;
            }
        }
    }

    fn exhausted(&self) -> bool {
        self.computed >= self.limits.transitions
    }

    fn limit(&mut self) {
        let category = Category::Limit;
        self.fail(Failure {
            category,
            node: None,
            ordinal: None,
        });
    }

    fn active(&mut self, now: u64) {
        let ready = self.ready();
        let staged = |run: &Self, act: &Act| run.staged.get(&key(act)).cloned();
        for act in &ready {
            if let Some(Staged::Failed(failure)) = staged(self, act) {
                return self.fail(failure);
            }
        }
        if self.exhausted() {
            return self.limit();
        }
        for act in &ready {
            let due = self
                .began
                .get(&key(act))
                .is_some_and(|(_, deadline)| *deadline <= now);
            if due && staged(self, act).is_none() {
                let failure = self.failure_of(act, Category::Timeout);
                return self.fail(failure);
            }
        }
        if self.admission != "background" {
            return;
        }
        if self.frontier.is_empty() {
            self.names.push("succeeded");
            self.phase = Phase::Succeeded;
            return;
        }
        if self.pause_due {
            return self.pause();
        }
        let is_new =
            |run: &Self, act: &Act| staged(run, act).is_none() && !run.open.contains_key(&key(act));
        let decides = |act: &Act| matches!(&act.node[..1], "s" | "x" | "J" | "F");
        let decided: Vec<&Act> = ready
            .iter()
            .filter(|act| is_new(self, act) && decides(act))
            .collect();
        if !decided.is_empty() {
            self.names.push("stage");
            for act in decided {
                let end = match &act.node[..1] {
                    "x" => Staged::Failed(self.failure_of(act, Category::Evaluation)),
                    "s" => done(vec![("log".to_owned(), json!(act.node))]),
                    _ => done(Vec::new()),
                };
                self.staged.insert(key(act), end);
            }
            return;
        }
        if let Some(act) = ready.iter().find(|act| is_new(self, act)) {
            self.names.push("park");
            let sequence = self.sequence();
            let span = if act.node.starts_with('c') {
                8_000
            } else {
                10_000
            };
            self.began.insert(key(act), (now, now + span));
            self.open.insert(
                key(act),
                Open {
                    sequence,
                    attempt: 1,
                    wake: None,
                },
            );
            return;
        }
        for act in &ready {
            let wake = self.open.get(&key(act)).and_then(|open| open.wake);
            if wake.is_some_and(|wake| wake <= now) {
                self.names.push("retry_ready");
                let sequence = self.sequence();
                let open = self.open.get_mut(&key(act)).expect("open");
                *open = Open {
                    sequence,
                    attempt: open.attempt + 1,
                    wake: None,
                };
                return;
            }
        }
        if self.open.is_empty() {
            self.barrier(&ready);
        }
    }

    fn barrier(&mut self, ready: &[Act]) {
        let mut state = self.state.clone();
        let mut last_most = None;
        let mut outcomes = Vec::new();
        let mut halting = None;
        let mut sources = Vec::new();
        for act in ready {
            let Staged::Done {
                given,
                result,
                halt,
            } = &self.staged[&key(act)]
            else {
                panic!("a failure has no barrier");
            };
            for (name, value) in given {
                if name == "log" {
                    state
                        .get_mut("log")
                        .and_then(Value::as_array_mut)
                        .expect("a list")
                        .push(value.clone());
                } else {
                    state.insert(name.clone(), value.clone());
                    last_most = Some(act.node.clone());
                }
            }
            let ordinal = self.ordinals + outcomes.len() as u64;
            outcomes.push((act.node.clone(), ordinal, result.clone()));
            if *halt && halting.is_none() {
                halting = Some((act.node.clone(), result.clone()));
            }
            sources.push((act.clone(), result.clone()));
        }
        if last_most.is_some() && state["most"].as_u64().is_some_and(|most| most > 9) {
            let category = Category::State;
            return self.fail(Failure {
                category,
                node: last_most,
                ordinal: None,
            });
        }
        self.names.push("barrier");
        for act in ready
            .iter()
            .filter(|act| is(&self.definition, &act.node, "join_first"))
        {
            let most = act
                .visit(&act.node)
                .max(self.settled.get(&act.node).copied().unwrap_or(0));
            self.settled.insert(act.node.clone(), most);
        }
        self.state = state;
        self.ordinals += outcomes.len() as u64;
        self.position = outcomes
            .last()
            .map(|(node, ordinal, _)| (node.clone(), *ordinal));
        self.outcomes = outcomes;
        self.frontier
            .retain(|act| !ready.iter().any(|other| other.id == act.id));
        self.sources = sources;
        self.halting = halting;
        self.staged = BTreeMap::new();
        self.began = BTreeMap::new();
        self.superstep += 1;
        self.base = self.sequence();
        self.phase = Phase::Routing;
    }

    fn route(&mut self) {
        let log = self.state["log"].as_array().map_or(0, Vec::len);
        let mut taken = Vec::new();
        for (act, result) in &self.sources {
            let edges = self.definition.edges.iter().enumerate();
            let own: Vec<_> = edges
                .filter(|(_, edge)| edge.from.as_str() == act.node)
                .collect();
            let mut some = Vec::new();
            for (index, edge) in &own {
                let takes = match &edge.when {
                    When::Always => true,
                    When::Else => false,
                    When::If(word) => {
                        let Some(takes) = super::super::toy::takes(word.as_str(), log, result)
                        else {
                            let node = Some(act.node.clone());
                            let category = Category::Evaluation;
                            return self.fail(Failure {
                                category,
                                node,
                                ordinal: None,
                            });
                        };
                        takes
                    }
                };
                if takes {
                    some.push(*index);
                }
            }
            if some.is_empty() {
                let otherwise = own.iter().filter(|(_, edge)| edge.when == When::Else);
                some.extend(otherwise.map(|(index, _)| *index));
            }
            taken.extend(some.into_iter().map(|edge| (act.clone(), edge)));
        }
        let frontier = next(
            &self.definition,
            &self.settled,
            self.superstep,
            &self.frontier,
            &taken,
        );
        if frontier.len() > self.limits.frontier {
            return self.limit();
        }
        if !frontier.is_empty() && self.superstep >= self.limits.supersteps {
            return self.limit();
        }
        self.names.push("routed");
        self.pause_due = match &self.bound {
            None => false,
            Some((Bound::Before(node), _)) => frontier.iter().any(|act| act.node == node.as_str()),
            Some((Bound::Supersteps(count), since)) => self.superstep - since >= count.get(),
        };
        self.frontier = frontier;
        self.phase = Phase::Active;
    }
}

fn done(given: Vec<(String, Value)>) -> Staged {
    let result = json!({});
    Staged::Done {
        given,
        result,
        halt: false,
    }
}
