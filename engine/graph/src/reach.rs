//! Which nodes can reach which, whatever the conditions of the edges: one bit set per node.

use std::collections::BTreeMap;

use crate::definition::{Definition, NodeId};

/// The nodes of a definition as numbers, in the order of their ids, and what each can reach.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    ids: Vec<NodeId>,
    numbers: BTreeMap<NodeId, usize>,
    successors: Vec<Vec<usize>>,
    sets: Vec<Vec<u64>>,
}

impl Reach {
    /// Reads the edges of a definition; edges of unknown nodes are left out.
    pub(crate) fn of(definition: &Definition) -> Self {
        let ids: Vec<NodeId> = definition.nodes.keys().cloned().collect();
        let numbers: BTreeMap<_, _> = ids.iter().cloned().zip(0..).collect();
        let mut successors = vec![Vec::new(); ids.len()];
        for edge in &definition.edges {
            if let (Some(&from), Some(&to)) = (numbers.get(&edge.from), numbers.get(&edge.to)) {
                successors[from].push(to);
            }
        }
        for list in &mut successors {
            list.sort_unstable();
            list.dedup();
        }
        let sets = (0..ids.len())
            .map(|start| walk(&successors, &successors[start]))
            .collect();
        Self {
            ids,
            numbers,
            successors,
            sets,
        }
    }

    /// Returns the number of a node.
    pub(crate) fn number(&self, id: &NodeId) -> Option<usize> {
        self.numbers.get(id).copied()
    }

    /// Returns the id of a number.
    pub(crate) fn id(&self, number: usize) -> &NodeId {
        &self.ids[number]
    }

    /// Returns how many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns the nodes that edges of a node lead to, each once.
    pub(crate) fn successors(&self, number: usize) -> &[usize] {
        &self.successors[number]
    }

    /// Returns whether one or more edges lead from `from` to `to`.
    pub(crate) fn can_reach(&self, from: usize, to: usize) -> bool {
        contains(&self.sets[from], to)
    }

    /// Returns the set of `starts` and of all nodes that they can reach.
    pub(crate) fn from(&self, starts: &[usize]) -> impl Fn(usize) -> bool + use<> {
        let set = walk(&self.successors, starts);
        move |number| contains(&set, number)
    }
}

/// Returns whether a set holds a number.
pub(crate) fn contains(set: &[u64], number: usize) -> bool {
    set[number / 64] & (1 << (number % 64)) != 0
}

/// Adds a number to a set.
pub(crate) fn insert(set: &mut [u64], number: usize) {
    set[number / 64] |= 1 << (number % 64);
}

/// Makes a relation transitive: row `i` then holds all that `i` leads to in one step or more.
pub(crate) fn close(rows: &mut [Vec<u64>]) {
    for middle in 0..rows.len() {
        let onward = rows[middle].clone();
        for row in rows.iter_mut().filter(|row| contains(row, middle)) {
            // 64 numbers at a time: 1,000 rows that are full take 16 million operations.
            for (word, more) in row.iter_mut().zip(&onward) {
                *word |= more;
            }
        }
    }
}

/// Returns the set of `starts` and of all that they lead to.
fn walk(successors: &[Vec<usize>], starts: &[usize]) -> Vec<u64> {
    let mut set = vec![0; successors.len().div_ceil(64)];
    let mut open = starts.to_vec();
    while let Some(node) = open.pop() {
        if !contains(&set, node) {
            insert(&mut set, node);
            open.extend(&successors[node]);
        }
    }
    set
}
