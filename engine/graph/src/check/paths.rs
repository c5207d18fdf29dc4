//! Nodes that no path reaches, joins that one path reaches, joins that reach each other.

use super::diagnostic::{Code, Diagnostic};
use crate::definition::{Definition, Kind};
use crate::pointer;
use crate::reach::Reach;

pub(super) fn check(definition: &Definition, reach: &Reach) -> Vec<Diagnostic> {
    let entries: Vec<usize> = definition
        .entry
        .iter()
        .filter_map(|id| reach.number(id))
        .collect();
    let reached = reach.from(&entries);
    let mut findings = Vec::new();
    let path = |number: usize| pointer::field("/nodes", reach.id(number).as_str());
    let joins: Vec<bool> = definition
        .nodes
        .values()
        .map(|node| node.kind.is_join())
        .collect();
    let mut grouped = vec![false; reach.len()];
    for (number, node) in definition.nodes.values().enumerate() {
        if !reached(number) {
            findings.push(Diagnostic::new(
                Code::Unreachable,
                path(number),
                "no path from the entry reaches this node",
            ));
            continue;
        }
        if !joins[number] {
            continue;
        }
        let loops: Vec<usize> = reach.successors(number).to_vec();
        let arrivals =
            arrivals(reach, &joins, number, &entries).max(arrivals(reach, &joins, number, &loops));
        if arrivals < 2 {
            let message = format!(
                "only one path reaches this {}, so it joins nothing",
                node.kind.name()
            );
            findings.push(Diagnostic::new(Code::SinglePath, path(number), message));
        }
        let others = (0..reach.len()).filter(|&other| {
            other > number
                && joins[other]
                && reach.can_reach(number, other)
                && reach.can_reach(other, number)
        });
        let others: Vec<usize> = others.collect();
        if !others.is_empty() && !grouped[number] {
            others.iter().for_each(|&other| grouped[other] = true);
            let names: Vec<_> = others
                .iter()
                .map(|&other| reach.id(other).as_str())
                .collect();
            let message = format!(
                "this join and {} can reach each other: a `join_all` does not wait for one that \
                comes later and waits for it",
                names.join(", ")
            );
            findings.push(Diagnostic::new(Code::MutualJoins, path(number), message));
        }
    }
    findings
}

/// Returns how many arrivals at a join can come from `starts` without passing the join: 0, 1, or 2
/// for more. Conditions are not considered, and a join on the way sends one activation on.
fn arrivals(reach: &Reach, joins: &[bool], join: usize, starts: &[usize]) -> u8 {
    let mut counts = vec![0_u8; reach.len()];
    for &start in starts {
        counts[start] = (counts[start] + 1).min(2);
    }
    // Counts only grow, and at most to 2, so each node is sent on at most twice.
    let mut open: Vec<(usize, u8)> = starts.iter().map(|&start| (start, 1)).collect();
    let mut sent = vec![0_u8; reach.len()];
    while let Some((node, _)) = open.pop() {
        if node == join {
            continue;
        }
        let most = if joins[node] {
            counts[node].min(1)
        } else {
            counts[node]
        };
        let more = most - sent[node];
        if more == 0 {
            continue;
        }
        sent[node] = most;
        for &next in reach.successors(node) {
            let before = counts[next];
            counts[next] = (before + more).min(2);
            if counts[next] > before {
                open.push((next, counts[next] - before));
            }
        }
    }
    counts[join]
}

/// Returns whether a node of this kind may have two activations in one frontier.
pub(super) const fn may_be_twice(kind: &Kind) -> bool {
    !kind.is_join()
}
