//! Which joins of a frontier wait.

use std::sync::Arc;

use super::activation::Activation;
use super::topology::{Join, Topology};
use crate::reach::{close, contains, insert};

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
    let numbers: Vec<usize> = frontier
        .iter()
        .map(|at| topology.number(&at.node))
        .collect();
    let waits = |join: usize, other: usize| {
        let node = &frontier[join].node;
        join != other
            && topology.leads(numbers[other], numbers[join])
            && frontier[other].visit(node) + 1 == frontier[join].visit(node)
    };
    // Waits of joins for joins: row and column are indexes into `joins`.
    let mut direct = vec![vec![0; joins.len().div_ceil(64)]; joins.len()];
    for (row, &join) in direct.iter_mut().zip(&joins) {
        for (column, &other) in joins.iter().enumerate() {
            if waits(join, other) {
                insert(row, column);
            }
        }
    }
    let mut through = direct.clone();
    close(&mut through);
    let place: Vec<usize> = joins
        .iter()
        .map(|at| topology.forward(&frontier[*at].node))
        .collect();
    for (index, &join) in joins.iter().enumerate() {
        let on_joins = (0..joins.len()).any(|other| {
            let void = place[other] > place[index] && contains(&through[other], index);
            contains(&direct[index], other) && !void
        });
        let on_others = || {
            (0..frontier.len()).any(|other| {
                waits(join, other) && topology.join(&frontier[other].node) != Join::All
            })
        };
        deferred[join] = on_joins || on_others();
    }
    deferred
}
