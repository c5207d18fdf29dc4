//! The shape of a graph: nodes, edges, order and reachability.

use super::forward::forward;
use crate::definition::{Definition, Kind, NodeId};
use crate::reach::Reach;

/// A node that an entry or an edge names and that the definition does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown node; add it to `nodes`, or correct the name: node={node}, named_by={named_by}")]
pub struct UnknownNode {
    /// The name.
    pub node: NodeId,
    /// `entry`, or `edges/` and an index.
    pub named_by: String,
}

/// Whether a node is a join, and of which kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// No join.
    No,
    /// It waits for every path that can reach it.
    All,
    /// It continues with the first path.
    First,
}

/// The shape of a graph, computed once for a definition.
///
/// Nodes are numbered in order of their ids.
#[derive(Debug)]
pub struct Topology {
    joins: Vec<Join>,
    entry: Vec<usize>,
    edges: Vec<Vec<usize>>,
    forward: Vec<usize>,
    reach: Reach,
}

impl Topology {
    /// Computes the shape of `definition`.
    ///
    /// # Errors
    /// [`UnknownNode`] if the entry or an edge names a node that the definition does not have.
    pub fn new(definition: &Definition) -> Result<Self, UnknownNode> {
        let reach = Reach::of(definition);
        let index = |node: &NodeId, named_by: &dyn Fn() -> String| {
            reach.number(node).ok_or_else(|| UnknownNode {
                node: node.clone(),
                named_by: named_by(),
            })
        };
        let mut entry = Vec::with_capacity(definition.entry.len());
        for node in &definition.entry {
            entry.push(index(node, &|| "entry".into())?);
        }
        let mut edges = vec![Vec::new(); reach.len()];
        let mut next = vec![Vec::new(); reach.len()];
        for (number, edge) in definition.edges.iter().enumerate() {
            let named_by = || format!("edges/{number}");
            let (from, to) = (index(&edge.from, &named_by)?, index(&edge.to, &named_by)?);
            edges[from].push(number);
            next[from].push(to);
        }
        let joins = definition.nodes.values().map(|node| match node.kind {
            Kind::JoinAll => Join::All,
            Kind::JoinFirst => Join::First,
            _ => Join::No,
        });
        Ok(Self {
            joins: joins.collect(),
            forward: forward(&entry, &next),
            entry,
            edges,
            reach,
        })
    }

    /// Returns whether the definition has `node`.
    #[must_use]
    pub fn contains(&self, node: &NodeId) -> bool {
        self.reach.number(node).is_some()
    }

    /// Returns whether `node` is a join.
    ///
    /// # Panics
    /// If the definition does not have the node; this holds for all methods that take a node.
    #[must_use]
    pub fn join(&self, node: &NodeId) -> Join {
        self.joins[self.number(node)]
    }

    /// Returns whether one edge or more lead from `from` to `to`, whatever their conditions.
    #[must_use]
    pub fn reaches(&self, from: &NodeId, to: &NodeId) -> bool {
        self.leads(self.number(from), self.number(to))
    }

    /// Returns the place of `node` in forward order.
    #[must_use]
    pub fn forward(&self, node: &NodeId) -> usize {
        self.forward[self.number(node)]
    }

    /// Returns the indexes of the edges that leave `node`, in order of the definition.
    #[must_use]
    pub fn edges(&self, node: &NodeId) -> &[usize] {
        &self.edges[self.number(node)]
    }

    /// Returns the nodes of the entry, in order of their ids.
    #[must_use]
    pub fn entry(&self) -> Vec<&NodeId> {
        let mut entry: Vec<_> = self.entry.iter().map(|node| self.reach.id(*node)).collect();
        entry.sort();
        entry
    }

    /// Returns whether one edge or more lead from one number to another.
    pub(super) fn leads(&self, from: usize, to: usize) -> bool {
        self.reach.can_reach(from, to)
    }

    /// Returns the number of a node.
    pub(super) fn number(&self, node: &NodeId) -> usize {
        let found = self.reach.number(node);
        found.expect("a frontier has only nodes of its definition")
    }
}
