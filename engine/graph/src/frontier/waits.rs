//! Which joins of a frontier wait.

use std::sync::Arc;

use super::activation::Activation;
use super::topology::{Join, Topology};
use crate::reach::{contains, walk};

/// Returns, for each activation of a frontier, whether it is a `join_all` that waits.
///
/// A `join_all` with visit v waits for each other activation that has visit v-1 of this join and
/// can reach it. A wait is void if it is for a `join_all` that comes later in forward order and
/// that itself waits for this one, directly or through other waits, void ones included.
///
/// - **F1** Each cycle of waits has one from a join to a later one, which is void. So the other
///   waits have no cycle, and a frontier that is not empty has a ready activation.
#[must_use]
pub fn deferred(topology: &Topology, frontier: &[Arc<Activation>]) -> Vec<bool> {
    let joins: Vec<usize> = (0..frontier.len())
        .filter(|at| topology.join(&frontier[*at].node) == Join::All)
        .collect();
    let mut deferred = vec![false; frontier.len()];
    if joins.is_empty() || frontier.len() == 1 {
        return deferred;
    }
    let waits = |join: usize, other: usize| {
        let node = &frontier[join].node;
        join != other
            && frontier[other].visit(node) + 1 == frontier[join].visit(node)
            && topology.reaches(&frontier[other].node, node)
    };
    // Waits of joins for joins, as indexes into `joins`.
    let on_joins = |join: usize| -> Vec<usize> {
        let others = joins.iter().enumerate();
        let others = others.filter(|(_, other)| waits(join, **other));
        others.map(|(index, _)| index).collect()
    };
    let direct: Vec<Vec<usize>> = joins.iter().map(|join| on_joins(*join)).collect();
    let through: Vec<Vec<u64>> = direct.iter().map(|next| walk(&direct, next)).collect();
    let place = |at: usize| topology.forward(&frontier[at].node);
    for (index, &join) in joins.iter().enumerate() {
        let on_joins = direct[index].iter().any(|&other| {
            let void = place(joins[other]) > place(join) && contains(&through[other], index);
            !void
        });
        let on_others = || {
            (0..frontier.len()).any(|other| {
                topology.join(&frontier[other].node) != Join::All && waits(join, other)
            })
        };
        deferred[join] = on_joins || on_others();
    }
    deferred
}
