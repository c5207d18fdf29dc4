//! The definition itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::edge::Edge;
use super::ids::{Name, NodeId, StateKey};
use super::keys::{Input, KeySpec};
use super::node::Node;
use super::strict::{Whole, present, some_distinct};

/// A graph workflow: nodes and edges over a typed state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The version of the format.
    pub graph: Whole<1, 1>,
    /// The id.
    pub id: Name,
    /// Free text for readers.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub doc: Option<String>,
    /// The keys of the state.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub state: BTreeMap<StateKey, KeySpec>,
    /// The keys that a start gives; without it, every key is optional.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub input: Option<Input>,
    /// The nodes of the first frontier.
    #[serde(deserialize_with = "some_distinct")]
    pub entry: Vec<NodeId>,
    /// The nodes.
    pub nodes: BTreeMap<NodeId, Node>,
    /// The edges, in the order that decides the walk over the graph.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<Edge>,
}
