//! What the machine keeps of the superstep under way beside its checkpoint.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::checkpoint::Staged;
use super::event::Ending;
use crate::frontier::{Activation, ActivationId, Topology, deferred};
use crate::program::Begin;

/// The superstep under way. All indexes are into the frontier, so each map is in order.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// The ready activations.
    pub ready: Vec<usize>,
    /// The expressions of the ready activations were computed.
    pub planned: bool,
    /// What is decided without waiting and not staged yet.
    pub decided: BTreeMap<usize, Staged>,
    /// What waits and has not begun yet.
    pub parks: BTreeMap<usize, Arc<Begin>>,
    /// The actions whose inputs are there.
    pub supplied: BTreeSet<usize>,
    /// When each activation that waits began, and its deadline, in milliseconds.
    pub began: BTreeMap<usize, (u64, u64)>,
    /// The deadlines of what began and has not ended.
    pub deadlines: BTreeSet<(u64, usize)>,
    /// When the next attempts begin.
    pub wakes: BTreeSet<(u64, usize)>,
    /// The activations of the controls.
    pub slots: BTreeMap<u64, usize>,
    /// Endings that wait until a question of the agent is settled.
    pub held: BTreeMap<usize, Ending>,
    /// A staged activation failed.
    pub failed: bool,
}

impl Work {
    pub(super) fn of(topology: &Topology, frontier: &[Arc<Activation>]) -> Self {
        let waits = deferred(topology, frontier);
        let ready = (0..frontier.len()).filter(|at| !waits[*at]);
        Self {
            ready: ready.collect(),
            ..Self::default()
        }
    }

    /// Returns the index of a ready activation among the ready ones.
    pub(super) fn rank(&self, slot: usize) -> usize {
        let found = self.ready.binary_search(&slot);
        found.expect("only ready activations begin")
    }

    /// Removes what has not begun and what waits for a time.
    pub(super) fn begin_nothing(&mut self) {
        self.planned = true;
        self.decided.clear();
        self.parks.clear();
        self.deadlines.clear();
        self.wakes.clear();
    }

    pub(super) fn end_deadline(&mut self, slot: usize) {
        if let Some((_, deadline)) = self.began.get(&slot) {
            self.deadlines.remove(&(*deadline, slot));
        }
    }
}

pub(super) fn id(frontier: &[Arc<Activation>], slot: usize) -> ActivationId {
    frontier[slot].id
}
