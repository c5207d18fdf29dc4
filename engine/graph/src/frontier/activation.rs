//! A node with its lineage.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::definition::NodeId;

/// How often the path of an activation has reached each join, its own arrival included.
pub type Visits = BTreeMap<NodeId, u64>;

/// The id of an activation: the superstep of its arrival, and its rank among the arrivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActivationId {
    /// The superstep at which the activation arrived.
    pub superstep: u64,
    /// Its index among the arrivals of that routing.
    pub rank: u64,
}

impl fmt::Display for ActivationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.superstep, self.rank)
    }
}

/// A node of the frontier with its lineage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activation {
    /// The node.
    pub node: NodeId,
    /// The id.
    pub id: ActivationId,
    /// The ids of the sources. The whole path follows from them.
    pub parents: Vec<ActivationId>,
    /// How often the path has reached each join.
    pub visits: Arc<Visits>,
}

impl Activation {
    /// Returns how often the path has reached `join`.
    #[must_use]
    pub fn visit(&self, join: &NodeId) -> u64 {
        self.visits.get(join).copied().unwrap_or(0)
    }

    /// Returns the key of the order of a frontier.
    #[must_use]
    pub fn order(&self) -> (&NodeId, ActivationId) {
        (&self.node, self.id)
    }
}
