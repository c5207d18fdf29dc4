//! A run under test: the machine, its clock, and what it did.

use std::sync::Arc;

use serde_json::{Value, json};

use super::toy::Toy;
use crate::definition::{Definition, StateKey};
use crate::machine::{
    Checkpoint, Command, Complete, Ending, Event, Handled, Machine, Rejection, Start, Status, Step,
};
use crate::{Category, Limits};

pub(crate) struct Run {
    pub(crate) machine: Machine<Toy>,
    pub(crate) now: u64,
    pub(crate) steps: Vec<Step>,
    /// All checkpoints, by sequence.
    pub(crate) checkpoints: Vec<Checkpoint>,
    read: usize,
}

pub(crate) fn definition(text: Value) -> Arc<Definition> {
    Arc::new(serde_json::from_value(text).expect("a valid definition"))
}

/// A definition with the list `log`; nodes by the first letter of their name.
///
/// `a` action, `g` agent, `s` state, `i` input, `w` sleep, `c` child, `J` and `F` joins, `n` action
/// with inputs, `o` action made at most once, `r` action with three attempts.
pub(crate) fn graph(
    entry: &[&str],
    edges: &[&str],
    conditions: &[(&str, &str)],
) -> Arc<Definition> {
    let retry = json!({ "attempts": 3, "backoff": "1s", "factor": 2, "cap": "1m" });
    let kind = |node: &str| match &node[..1] {
        "g" => json!({ "agent": "writer", "prompt": "?", "retry": retry, "deadline": "10s" }),
        "s" => json!({ "state": { "log": format!("\"{node}\"") } }),
        "i" => json!({ "input": { "message": "?", "target": "log" }, "deadline": "10s" }),
        "w" => json!({ "sleep": "1m", "deadline": "10s" }),
        "c" => json!({ "child": { "definition": "other" }, "deadline": "8s" }),
        "J" => json!({ "join_all": {} }),
        "F" => json!({ "join_first": {} }),
        "n" => json!({ "action": "pay", "inputs": ["pin"], "deadline": "10s" }),
        "o" => json!({ "action": "pay", "at_most_once": true, "retry": retry, "deadline": "10s" }),
        "r" => json!({ "action": "pay", "retry": retry, "deadline": "10s" }),
        "x" => json!({ "state": { "log": "fail" } }),
        _ => json!({ "action": "work", "deadline": "10s" }),
    };
    let ends = edges.iter().flat_map(|edge| edge.split("->"));
    let named = ends.chain(entry.iter().copied());
    let nodes: serde_json::Map<_, _> = named.map(|node| (node.into(), kind(node))).collect();
    let edge = |edge: &&str| {
        let (from, to) = edge.split_once("->").expect("a -> b");
        match conditions.iter().find(|(name, _)| name == edge) {
            Some((_, "else")) => json!({ "from": from, "to": to, "else": true }),
            Some((_, word)) => json!({ "from": from, "to": to, "if": word }),
            None => json!({ "from": from, "to": to }),
        }
    };
    definition(json!({
        "graph": 1, "id": "g", "entry": entry, "nodes": nodes,
        "edges": edges.iter().map(edge).collect::<Vec<_>>(),
        "state": { "log": { "reduce": "append" }, "most": { "schema": { "maximum": 9 } } },
    }))
}

/// How many cases a random test tries: `few`, or more if the environment variable `GRAPH_CASES`
/// gives more. Fewer would not reach everything.
#[expect(clippy::disallowed_methods, reason = "a setting of the test run")]
pub(crate) fn cases(few: u32) -> u32 {
    let given = std::env::var("GRAPH_CASES").ok();
    given.map_or(few, |text| {
        text.parse().expect("GRAPH_CASES is a number of cases")
    })
}

/// The ending of a node that contributes its name.
pub(crate) fn done(node: &str) -> Ending {
    let log = StateKey::parse("log").unwrap();
    Ending::Complete(Complete {
        contributions: vec![(log, node.into())],
        result: Arc::new(json!({ "node": node })),
        halt: false,
    })
}

pub(crate) fn broken(retryable: bool) -> Ending {
    Ending::Failed {
        category: Category::Action,
        message: "broken".into(),
        retryable,
    }
}

impl Run {
    pub(crate) fn new(definition: &Arc<Definition>) -> Self {
        Self::with(definition, Limits::default(), |_| {})
    }

    /// A run of unconditional edges.
    pub(crate) fn of(entry: &[&str], edges: &[&str]) -> Self {
        Self::new(&graph(entry, edges, &[]))
    }

    pub(crate) fn with(
        definition: &Arc<Definition>,
        limits: Limits,
        change: impl FnOnce(&mut Start),
    ) -> Self {
        Self::begun(definition, limits, 1_000, change)
    }

    /// A run that begins at `now`.
    pub(crate) fn begun(
        definition: &Arc<Definition>,
        limits: Limits,
        now: u64,
        change: impl FnOnce(&mut Start),
    ) -> Self {
        let rules = Toy::new(definition);
        let mut start = Start::new(rules.start());
        change(&mut start);
        let machine = Machine::start(Arc::clone(definition), rules, limits, start);
        let mut run = Self {
            machine: machine.expect("known nodes"),
            now,
            steps: Vec::new(),
            checkpoints: Vec::new(),
            read: 0,
        };
        run.checkpoints.push(run.machine.checkpoint().clone());
        run.settle();
        run
    }

    /// Advances until nothing follows.
    pub(crate) fn settle(&mut self) {
        while let Some(step) = self.machine.advance(self.now).expect("permitted") {
            self.steps.push(step);
            self.checkpoints.push(self.machine.checkpoint().clone());
        }
    }

    /// Handles an event and what follows.
    pub(crate) fn event(&mut self, event: Event) -> Result<Handled, Rejection> {
        let handled = self.machine.handle(event, self.now);
        if let Ok(Handled::Moved(step)) = &handled {
            self.steps.push(step.clone());
            self.checkpoints.push(self.machine.checkpoint().clone());
        }
        self.settle();
        handled
    }

    /// Handles an event that makes a transition.
    pub(crate) fn does(&mut self, event: Event) -> &mut Self {
        let handled = self.event(event);
        assert!(matches!(handled, Ok(Handled::Moved(_))), "{handled:?}");
        self
    }

    pub(crate) fn pass(&mut self, millis: u64) -> &mut Self {
        self.now += millis;
        self.settle();
        self
    }

    /// The sequence of the open control of a node.
    pub(crate) fn control(&self, node: &str) -> u64 {
        let checkpoint = self.machine.checkpoint();
        let mut open = checkpoint.controls.iter();
        let found = open.find(|(slot, _)| checkpoint.frontier[**slot].node.as_str() == node);
        found
            .unwrap_or_else(|| panic!("{node} is not open"))
            .1
            .sequence
    }

    pub(crate) fn ends(&mut self, node: &str) -> &mut Self {
        self.end(node, done(node))
    }

    pub(crate) fn end(&mut self, node: &str, ending: Ending) -> &mut Self {
        let control = self.control(node);
        self.does(Event::Ended { control, ending })
    }

    /// The names of the transitions since the last call.
    pub(crate) fn did(&mut self) -> String {
        let names = self.steps[self.read..]
            .iter()
            .map(|step| step.transition.name());
        let did = names.collect::<Vec<_>>().join(" ");
        self.read = self.steps.len();
        did
    }

    /// The commands of the last step that has some.
    pub(crate) fn commands(&self) -> Vec<Command> {
        let mut steps = self.steps.iter().rev();
        let last = steps.find(|step| !step.commands.is_empty());
        last.map_or_else(Vec::new, |step| step.commands.clone())
    }

    pub(crate) fn log(&self) -> Value {
        let state = &self.machine.checkpoint().state;
        state.get("log").cloned().unwrap_or_default()
    }

    pub(crate) fn status(&self) -> Status {
        self.machine.checkpoint().status()
    }

    pub(crate) fn sequence(&self) -> u64 {
        self.machine.checkpoint().sequence
    }

    /// The failure: category, node and ordinal.
    pub(crate) fn failure(&self) -> (Category, Option<String>, Option<u64>) {
        let failure = self
            .machine
            .checkpoint()
            .phase
            .failure()
            .expect("a failure");
        let node = failure.node.as_ref().map(ToString::to_string);
        (failure.category, node, failure.ordinal)
    }

    pub(crate) fn nodes(&self) -> Vec<String> {
        let frontier = &self.machine.checkpoint().frontier;
        frontier.iter().map(|at| at.node.to_string()).collect()
    }
}
