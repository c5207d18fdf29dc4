//! Nodes that may write one key in one superstep, of which the last in order wins.

use std::collections::{BTreeMap, BTreeSet};

use super::conditions::{condition, opposite};
use super::diagnostic::{Code, Diagnostic};
use super::paths::may_be_twice;
use crate::definition::{Definition, Edge, Kind, Reduce, StateKey, When};
use crate::pointer;
use crate::reach::Reach;

/// The most steps of pairs of activations that are followed.
const MOST_STEPS: usize = 1_000_000;

pub(super) fn check(definition: &Definition, reach: &Reach) -> Vec<Diagnostic> {
    let keys: Vec<BTreeSet<&StateKey>> = definition
        .nodes
        .values()
        .map(|node| {
            let keys = node.writes().into_iter().map(|(_, key)| key);
            keys.filter(|key| {
                definition
                    .state
                    .get(key.as_str())
                    .is_some_and(|spec| spec.reduce == Reduce::Replace)
            })
            .collect()
        })
        .collect();
    let mut pairs = Pairs::of(definition, reach);
    let complete = pairs.follow();
    let mut findings = Vec::new();
    if !complete {
        let message = format!(
            "the graph is too entangled to find all keys that two nodes may write at once: steps={MOST_STEPS}"
        );
        findings.push(Diagnostic::new(Code::Entangled, "/edges", message));
    }
    for &(one, other) in &pairs.seen {
        for key in keys[one].intersection(&keys[other]) {
            let path = pointer::field("/nodes", reach.id(one).as_str());
            let message = if one == other {
                format!(
                    "two activations of this node may write the key {key:?} in one superstep, and the last in order \
                    wins; give the key a reducer"
                )
            } else {
                let other = reach.id(other);
                format!(
                    "this node and {other:?} may write the key {key:?} in one superstep, and the last in order wins; \
                    give the key a reducer"
                )
            };
            findings.push(Diagnostic::new(Code::ConflictingWrites, path, message));
        }
    }
    findings
}

/// Pairs of nodes that may have activations in one frontier.
///
/// Both activations of a pair move on in each superstep, except a `join_all`, which may wait.
struct Pairs<'a> {
    definition: &'a Definition,
    reach: &'a Reach,
    kinds: Vec<&'a Kind>,
    seen: BTreeSet<(usize, usize)>,
    open: Vec<(usize, usize)>,
}

impl<'a> Pairs<'a> {
    fn of(definition: &'a Definition, reach: &'a Reach) -> Self {
        let kinds = definition.nodes.values().map(|node| &node.kind).collect();
        Self {
            definition,
            reach,
            kinds,
            seen: BTreeSet::new(),
            open: Vec::new(),
        }
    }

    fn add(&mut self, one: usize, other: usize) {
        if one == other && !may_be_twice(self.kinds[one]) {
            return;
        }
        let pair = (one.min(other), one.max(other));
        if self.seen.insert(pair) {
            self.open.push(pair);
        }
    }

    /// Adds what may begin at once: entries, and ends of edges of one node that may both be taken.
    fn begin(&mut self) {
        let entries: Vec<usize> = self
            .definition
            .entry
            .iter()
            .filter_map(|id| self.reach.number(id))
            .collect();
        let reached = self.reach.from(&entries);
        for (place, &one) in entries.iter().enumerate() {
            entries[place + 1..]
                .iter()
                .for_each(|&other| self.add(one, other));
        }
        let mut by_source: BTreeMap<usize, Vec<&Edge>> = BTreeMap::new();
        for edge in &self.definition.edges {
            if let Some(from) = self.reach.number(&edge.from).filter(|from| reached(*from)) {
                by_source.entry(from).or_default().push(edge);
            }
        }
        for edges in by_source.values() {
            for (place, one) in edges.iter().enumerate() {
                for other in &edges[place + 1..] {
                    let ends = (self.reach.number(&one.to), self.reach.number(&other.to));
                    if let (Some(first), Some(second)) = ends
                        && first != second
                        && !exclusive(one, other)
                    {
                        self.add(first, second);
                    }
                }
            }
        }
    }

    /// Follows all pairs. Returns whether all were followed.
    fn follow(&mut self) -> bool {
        self.begin();
        let mut steps = 0;
        while let Some((one, other)) = self.open.pop() {
            let (ones, others) = (self.next(one), self.next(other));
            for &first in &ones {
                for &second in &others {
                    steps += 1;
                    if steps > MOST_STEPS {
                        return false;
                    }
                    self.add(first, second);
                }
            }
        }
        true
    }

    fn next(&self, node: usize) -> Vec<usize> {
        let waits = matches!(self.kinds[node], Kind::JoinAll).then_some(node);
        self.reach
            .successors(node)
            .iter()
            .copied()
            .chain(waits)
            .collect()
    }
}

/// Returns whether at most one of two edges of a node is taken, as far as that can be seen.
fn exclusive(one: &Edge, other: &Edge) -> bool {
    match (condition(one), condition(other)) {
        (Some(one), Some(other)) => opposite(one, other) || opposite(other, one),
        _ => (one.when == When::Else) != (other.when == When::Else),
    }
}
