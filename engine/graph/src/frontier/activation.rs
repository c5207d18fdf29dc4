//! A node with its lineage.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::definition::{InvalidId, NodeId};

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

impl std::str::FromStr for ActivationId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let parts = text.split_once('.');
        let id = parts.and_then(|(superstep, rank)| {
            let (superstep, rank) = (superstep.parse().ok()?, rank.parse().ok()?);
            Some(Self { superstep, rank })
        });
        // Only the written form is read: no sign, no leading zero.
        id.filter(|id| id.to_string() == text)
            .ok_or_else(|| InvalidId {
                what: "id of an activation",
                pattern: "^[0-9]+\\.[0-9]+$",
                got: text.chars().take(100).collect(),
            })
    }
}

impl Serialize for ActivationId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ActivationId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A node of the frontier with its lineage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
