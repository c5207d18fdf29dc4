//! From the edges taken to the next frontier.

use std::sync::Arc;

use super::activation::{Activation, ActivationId, Visits};
use super::losers::without_losers;
use super::topology::{Join, Topology};
use crate::definition::NodeId;

/// A node that a source leads to, with the first edge that is taken to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken<'a> {
    /// The index of the source in order.
    pub source: usize,
    /// The index of the edge in the definition.
    pub edge: usize,
    /// The node that is reached.
    pub to: &'a NodeId,
}

/// Returns the first frontier: the nodes of the entry, without losers.
///
/// A join of the entry is at its first visit.
#[must_use]
pub fn entries(topology: &Topology) -> Vec<Arc<Activation>> {
    let settled = Visits::new();
    let arrived = topology.entry().into_iter().zip(0..).map(|(node, rank)| {
        let id = ActivationId { superstep: 0, rank };
        Arc::new(Activation {
            node: node.clone(),
            id,
            parents: Vec::new(),
            visits: reached(topology, node, &Arc::new(Visits::new())),
        })
    });
    without_losers(topology, &settled, arrived.collect())
}

/// Returns the next frontier: deferred joins and arrivals, without losers, in order.
///
/// Arrivals of one visit at a join are one activation, together with the activation of that visit
/// that is deferred there: with the id of the first, all parents in order, and of each count of
/// visits the largest.
#[must_use]
pub fn route(
    topology: &Topology,
    settled: &Visits,
    superstep: u64,
    sources: &[Arc<Activation>],
    mut taken: Vec<Taken<'_>>,
    deferred: &[Arc<Activation>],
) -> Vec<Arc<Activation>> {
    taken.sort_by_key(|taken| (taken.to, taken.source, taken.edge));
    // A source reaches a node once, by the first of the edges taken.
    taken.dedup_by_key(|taken| (taken.to, taken.source));
    let mut frontier = deferred.to_vec();
    // Arrivals come sorted by node, so those that may join this one begin here.
    let mut same_node = frontier.len();
    for (taken, rank) in taken.into_iter().zip(0..) {
        let source = &sources[taken.source];
        if frontier
            .get(same_node)
            .is_none_or(|first| first.node != *taken.to)
        {
            same_node = frontier.len();
        }
        let visits = reached(topology, taken.to, &source.visits);
        let mut candidates = (0..deferred.len()).chain(same_node..frontier.len());
        let same = (topology.join(taken.to) != Join::No)
            .then(|| {
                candidates.find(|at| {
                    let other = &frontier[*at];
                    other.node == *taken.to && other.visit(taken.to) == visits[taken.to]
                })
            })
            .flatten();
        if let Some(at) = same {
            merge(Arc::make_mut(&mut frontier[at]), source.id, &visits);
        } else {
            frontier.push(Arc::new(Activation {
                node: taken.to.clone(),
                id: ActivationId { superstep, rank },
                parents: vec![source.id],
                visits,
            }));
        }
    }
    frontier.sort_by(|one, other| one.order().cmp(&other.order()));
    without_losers(topology, settled, frontier)
}

/// Counts the arrival at `node`, if it is a join.
fn reached(topology: &Topology, node: &NodeId, path: &Arc<Visits>) -> Arc<Visits> {
    let mut visits = Arc::clone(path);
    if topology.join(node) != Join::No {
        *Arc::make_mut(&mut visits).entry(node.clone()).or_insert(0) += 1;
    }
    visits
}

fn merge(activation: &mut Activation, parent: ActivationId, visits: &Visits) {
    activation.parents.push(parent);
    let merged = Arc::make_mut(&mut activation.visits);
    for (join, &count) in visits {
        let largest = merged.entry(join.clone()).or_insert(0);
        *largest = count.max(*largest);
    }
}
