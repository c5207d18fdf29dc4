//! Which activations lose to a `join_first`.

use std::sync::Arc;

use super::activation::{Activation, Visits};
use super::topology::{Join, Topology};

/// Removes the losers from a frontier, which is in order before and after.
///
/// First, a `join_first` loses if its visit is not greater than the settled visit of that join.
/// Then the `join_first` activations are processed from the last to the first in forward order
/// (of one node: in the order of the frontier, the last first). Each that has not lost, with
/// visit v, makes every other activation lose that has visit v-1 of the join and can reach it.
#[must_use]
pub fn without_losers(
    topology: &Topology,
    settled: &Visits,
    frontier: Vec<Arc<Activation>>,
) -> Vec<Arc<Activation>> {
    let mut firsts: Vec<usize> = (0..frontier.len())
        .filter(|at| topology.join(&frontier[*at].node) == Join::First)
        .collect();
    if firsts.is_empty() {
        return frontier;
    }
    let mut lost = vec![false; frontier.len()];
    for &at in &firsts {
        let node = &frontier[at].node;
        let closed = settled.get(node).copied().unwrap_or(0);
        lost[at] = frontier[at].visit(node) <= closed;
    }
    firsts.sort_by_key(|at| (topology.forward(&frontier[*at].node), *at));
    for &first in firsts.iter().rev() {
        if lost[first] {
            continue;
        }
        let node = &frontier[first].node;
        let visit = frontier[first].visit(node);
        for (at, other) in frontier.iter().enumerate() {
            if at != first && other.visit(node) + 1 == visit && topology.reaches(&other.node, node)
            {
                lost[at] = true;
            }
        }
    }
    let kept = frontier.into_iter().zip(lost).filter(|(_, lost)| !lost);
    kept.map(|(activation, _)| activation).collect()
}
