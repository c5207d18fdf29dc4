//! The machine, and how a run begins.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::checkpoint::{Admission, Checkpoint, Phase, Position, Source, Staged};
use super::control::Control;
use super::event::{Bound, Command, Step};
use super::failure::Failure;
use super::rules::Rules;
use super::settlement::Settlements;
use super::show::kind;
use super::transition::{Disallowed, Transition};
use super::work::Work;
use crate::definition::{Definition, Name, Node, NodeId};
use crate::frontier::{Activation, Topology, UnknownNode, Visits, entries};
use crate::state::State;
use crate::{Category, Limits};

/// A run of a graph.
#[derive(Debug)]
pub struct Machine<R> {
    pub(super) definition: Arc<Definition>,
    pub(super) topology: Arc<Topology>,
    pub(super) rules: R,
    pub(super) limits: Limits,
    pub(super) checkpoint: Checkpoint,
    pub(super) work: Work,
    /// When the run pauses by itself; `Supersteps` counts down.
    pub(super) bound: Option<Countdown>,
    /// The bound is reached.
    pub(super) pause_due: bool,
    /// The names of sealed values that the start gave.
    pub(super) sealed: BTreeSet<Name>,
    /// The first source of the barrier that answered `halt`.
    pub(super) halting: Option<usize>,
    /// What was complete when the run failed.
    pub(super) kept: BTreeMap<usize, Staged>,
    /// How often the run was retried.
    pub(super) generation: u64,
    /// Transitions since the last event or beginning of work.
    pub(super) computed: u64,
    /// The failure with an ordinal that the checkpoint before held.
    before: Option<(Option<NodeId>, u64)>,
}

/// A bound that counts down.
#[derive(Debug, Clone)]
pub(super) enum Countdown {
    Supersteps(u64),
    Before(NodeId),
}

/// What a run begins with.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// The state.
    pub state: State,
    /// The first frontier; without it, the entry of the definition.
    pub frontier: Option<Vec<Arc<Activation>>>,
    /// If the run begins in phase routing: the sources, beside the frontier of deferred joins.
    pub sources: Option<Vec<Source>>,
    /// The visits that are settled.
    pub settled_joins: Visits,
    /// The ordinal that the run continues from.
    pub position: Option<Position>,
    /// The names of sealed values that are given ahead: an action whose names are all among them
    /// does not ask.
    pub sealed: BTreeSet<Name>,
    /// The run begins paused.
    pub prepared: bool,
    /// When the run pauses by itself.
    pub bound: Option<Bound>,
}

impl Start {
    /// A start at the entry of the definition.
    #[must_use]
    pub const fn new(state: State) -> Self {
        Self {
            state,
            frontier: None,
            sources: None,
            settled_joins: Visits::new(),
            position: None,
            sealed: BTreeSet::new(),
            prepared: false,
            bound: None,
        }
    }
}

/// What a run that continues in place keeps beside its checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Rest {
    /// The bound that is left.
    pub bound: Option<Bound>,
    /// How often the run was retried.
    pub generation: u64,
    /// The names of sealed values that the start gave.
    pub sealed: BTreeSet<Name>,
}

impl<R: Rules> Machine<R> {
    /// Admits a run: its checkpoint has sequence 0.
    ///
    /// # Errors
    /// [`UnknownNode`] if the definition, or the bound, names a node that the definition lacks.
    pub fn start(
        definition: Arc<Definition>,
        rules: R,
        limits: Limits,
        start: Start,
    ) -> Result<Self, UnknownNode> {
        let topology = Arc::new(Topology::new(&definition)?);
        let named = start.frontier.iter().flatten().map(|at| &at.node);
        let sources = start.sources.iter().flatten();
        for node in named.chain(sources.map(|source| &source.activation.node)) {
            known(&topology, node, "frontier")?;
        }
        if let Some(Bound::Before(node)) = &start.bound {
            known(&topology, node, "bound")?;
        }
        let frontier = start.frontier.unwrap_or_else(|| entries(&topology));
        let admission = if start.prepared {
            Admission::Prepared
        } else {
            Admission::Background
        };
        let pause_due = matches!(&start.bound, Some(Bound::Before(node))
            if start.sources.is_none() && frontier.iter().any(|at| at.node == *node));
        let checkpoint = Checkpoint {
            sequence: 0,
            // What a run that begins in phase routing has behind it is its superstep 0.
            superstep: u64::from(start.sources.is_some()),
            base: 0,
            state: Arc::new(start.state),
            frontier: Arc::new(frontier),
            settled_joins: Arc::new(start.settled_joins),
            staged: BTreeMap::new(),
            controls: BTreeMap::new(),
            phase: start
                .sources
                .map_or(Phase::Active, |sources| Phase::Routing { sources }),
            admission,
            position: start.position,
            outcomes: Arc::default(),
            settlements: Settlements::default(),
        };
        let mut machine = Self::at(definition, topology, rules, limits, checkpoint);
        machine.sealed = start.sealed;
        machine.pause_due = pause_due;
        machine.bound = start.bound.map(Countdown::from);
        Ok(machine)
    }

    /// Continues a run in place from the checkpoint of a `routed`.
    ///
    /// # Errors
    /// [`UnknownNode`] if the checkpoint does not fit the definition.
    ///
    /// # Panics
    /// If something is open or staged in the checkpoint, or it is not active.
    pub fn continued(
        definition: Arc<Definition>,
        rules: R,
        limits: Limits,
        checkpoint: Checkpoint,
        rest: Rest,
    ) -> Result<Self, UnknownNode> {
        let clean = checkpoint.controls.is_empty() && checkpoint.staged.is_empty();
        assert!(
            clean && checkpoint.phase == Phase::Active,
            "a run continues in place right after a routed"
        );
        let topology = Arc::new(Topology::new(&definition)?);
        for activation in checkpoint.frontier.iter() {
            known(&topology, &activation.node, "frontier")?;
        }
        let mut machine = Self::at(definition, topology, rules, limits, checkpoint);
        machine.bound = rest.bound.map(Countdown::from);
        machine.generation = rest.generation;
        machine.sealed = rest.sealed;
        Ok(machine)
    }

    fn at(
        definition: Arc<Definition>,
        topology: Arc<Topology>,
        rules: R,
        limits: Limits,
        checkpoint: Checkpoint,
    ) -> Self {
        let work = match checkpoint.phase {
            Phase::Active => Work::of(&topology, &checkpoint.frontier),
            _ => Work::default(),
        };
        Self {
            definition,
            topology,
            rules,
            limits,
            checkpoint,
            work,
            bound: None,
            pause_due: false,
            sealed: BTreeSet::new(),
            halting: None,
            kept: BTreeMap::new(),
            generation: 0,
            computed: 0,
            before: None,
        }
    }

    /// Returns the newest checkpoint.
    #[must_use]
    pub const fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Returns an open control by its sequence, with its activation.
    #[must_use]
    pub fn control(&self, sequence: u64) -> Option<(&Activation, &Control)> {
        let slot = self.work.slots.get(&sequence)?;
        let control = self.checkpoint.controls.get(slot)?;
        Some((&self.checkpoint.frontier[*slot], control))
    }

    /// Returns the action ordinal that the activation of an open control will get.
    #[must_use]
    pub fn ordinal(&self, sequence: u64) -> Option<u64> {
        let slot = self.work.slots.get(&sequence)?;
        Some(self.ordinal_of(*slot))
    }

    /// Returns how often the run was retried; keys of work carry this number.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns what the run keeps beside its checkpoint when it continues in place.
    #[must_use]
    pub fn rest(&self) -> Rest {
        let bound = self.bound.as_ref().and_then(|bound| match bound {
            Countdown::Supersteps(left) => (*left).try_into().ok().map(Bound::Supersteps),
            Countdown::Before(node) => Some(Bound::Before(node.clone())),
        });
        Rest {
            bound,
            generation: self.generation,
            sealed: self.sealed.clone(),
        }
    }

    /// Makes the next checkpoint, or changes nothing if the transition is not permitted.
    pub(super) fn enter(&mut self, transition: Transition) -> Result<(), Disallowed> {
        if !transition.permitted(&self.checkpoint) {
            return Err(self.disallowed(transition, "the phase does not permit it"));
        }
        self.before = self.ordered_failure();
        self.checkpoint.sequence += 1;
        Ok(())
    }

    pub(super) fn disallowed(&self, transition: Transition, reason: &'static str) -> Disallowed {
        Disallowed {
            transition,
            sequence: self.checkpoint.sequence,
            reason,
        }
    }

    pub(super) fn step(&self, transition: Transition, commands: Vec<Command>) -> Step {
        let fresh = self
            .ordered_failure()
            .filter(|failure| self.before.as_ref() != Some(failure));
        Step {
            transition,
            sequence: self.checkpoint.sequence,
            kind: kind(&self.checkpoint, transition, fresh),
            commands,
        }
    }

    fn ordered_failure(&self) -> Option<(Option<NodeId>, u64)> {
        let failure = self.checkpoint.phase.failure()?;
        Some((failure.node.clone(), failure.ordinal?))
    }

    pub(super) fn node(&self, slot: usize) -> (&NodeId, &Node) {
        let id = &self.checkpoint.frontier[slot].node;
        (id, &self.definition.nodes[id])
    }

    /// A failure of a ready activation, with the ordinal that it would have got.
    pub(super) fn failure(&self, slot: usize, category: Category, message: String) -> Failure {
        Failure {
            category,
            message,
            node: Some(self.node(slot).0.clone()),
            ordinal: Some(self.ordinal_of(slot)),
        }
    }

    fn ordinal_of(&self, slot: usize) -> u64 {
        let rank = u64::try_from(self.work.rank(slot)).expect("a frontier is small");
        self.checkpoint.next_ordinal() + rank
    }
}

impl From<Bound> for Countdown {
    fn from(bound: Bound) -> Self {
        match bound {
            Bound::Supersteps(count) => Self::Supersteps(count.get()),
            Bound::Before(node) => Self::Before(node),
        }
    }
}

pub(super) fn known(topology: &Topology, node: &NodeId, by: &str) -> Result<(), UnknownNode> {
    if topology.contains(node) {
        return Ok(());
    }
    Err(UnknownNode {
        node: node.clone(),
        named_by: by.into(),
    })
}
