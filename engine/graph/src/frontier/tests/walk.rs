//! A walk over a graph in which all ready activations end in each superstep.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::definition::{Definition, NodeId};
use crate::frontier::{Activation, Join, Taken, Topology, Visits, deferred, entries, route};

/// Makes a definition; nodes that begin with `J` are `join_all`, with `F` `join_first`.
pub(super) fn definition(entry: &[&str], edges: &[&str]) -> Definition {
    let ends = edges.iter().flat_map(|edge| edge.split("->"));
    let kind = |node: &str| match &node[..1] {
        "J" => json!({ "join_all": {} }),
        "F" => json!({ "join_first": {} }),
        _ => json!({ "state": {} }),
    };
    let named = ends.chain(entry.iter().copied());
    let nodes: Map<String, Value> = named.map(|node| (node.into(), kind(node))).collect();
    let text = json!({ "graph": 1, "id": "g", "entry": entry, "nodes": nodes, "edges": edges });
    serde_json::from_value(text).expect("a valid definition")
}

pub(super) fn topology(entry: &[&str], edges: &[&str]) -> Topology {
    Topology::new(&definition(entry, edges)).expect("all nodes are known")
}

pub(super) struct Walk {
    pub(super) definition: Definition,
    pub(super) topology: Topology,
    pub(super) frontier: Vec<Arc<Activation>>,
    settled: Visits,
    superstep: u64,
}

impl Walk {
    pub(super) fn new(entry: &[&str], edges: &[&str]) -> Self {
        let definition = definition(entry, edges);
        let topology = Topology::new(&definition).unwrap();
        Self {
            frontier: entries(&topology),
            settled: Visits::new(),
            superstep: 0,
            definition,
            topology,
        }
    }

    /// Ends all ready activations; of their edges, those that `takes` selects are taken.
    pub(super) fn step_if(&mut self, takes: impl Fn(&str, &str) -> bool) -> &mut Self {
        let waits = deferred(&self.topology, &self.frontier);
        let part = |deferred: bool| -> Vec<Arc<Activation>> {
            let all = self.frontier.iter().zip(&waits);
            let part = all.filter(|(_, waits)| **waits == deferred);
            part.map(|(activation, _)| Arc::clone(activation)).collect()
        };
        let (sources, later) = (part(false), part(true));
        let mut taken = Vec::new();
        for (source, activation) in sources.iter().enumerate() {
            if self.topology.join(&activation.node) == Join::First {
                let visit = activation.visit(&activation.node);
                self.settled.insert(activation.node.clone(), visit);
            }
            for &edge in self.topology.edges(&activation.node) {
                let to = &self.definition.edges[edge].to;
                if takes(activation.node.as_str(), to.as_str()) {
                    taken.push(Taken { source, edge, to });
                }
            }
        }
        self.superstep += 1;
        let step = self.superstep;
        self.frontier = route(&self.topology, &self.settled, step, &sources, taken, &later);
        self
    }

    pub(super) fn step(&mut self) -> &mut Self {
        self.step_if(|_, _| true)
    }

    /// The frontier: a node with its id; deferred joins in brackets.
    pub(super) fn shows(&self) -> String {
        let waits = deferred(&self.topology, &self.frontier);
        let show = |(activation, waits): (&Arc<Activation>, bool)| {
            let text = format!("{}@{}", activation.node, activation.id);
            if waits { format!("[{text}]") } else { text }
        };
        let shown: Vec<_> = self.frontier.iter().zip(waits).map(show).collect();
        shown.join(" ")
    }
}

pub(super) fn node(text: &str) -> NodeId {
    NodeId::parse(text).unwrap()
}
