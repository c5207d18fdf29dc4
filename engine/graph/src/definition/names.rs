//! Which other definitions and agents a definition names.

use std::collections::BTreeSet;

use super::children::{Map, Which};
use super::graph::Definition;
use super::ids::{Name, Revision};
use super::node::Kind;

impl Definition {
    /// Returns the agents that the definition names.
    #[must_use]
    pub fn agents(&self) -> BTreeSet<&Name> {
        let agents = self.nodes.values().filter_map(|node| match &node.kind {
            Kind::Agent(agent) => Some(&agent.agent),
            _ => None,
        });
        agents.collect()
    }

    /// Returns the definitions that the definition names as children, each with the revision if it
    /// names one. Computed ids are not among them.
    #[must_use]
    pub fn children(&self) -> BTreeSet<(&Name, Option<&Revision>)> {
        let mut children = BTreeSet::new();
        for node in self.nodes.values() {
            let named: Vec<(&Which, Option<&Revision>)> = match &node.kind {
                Kind::Child(child) => vec![(&child.definition, child.revision.as_ref())],
                Kind::Map(Map::Over(over)) => vec![(&over.definition, over.revision.as_ref())],
                Kind::Pipeline(line) => line
                    .children
                    .iter()
                    .map(|stage| (&stage.definition, stage.revision.as_ref()))
                    .collect(),
                _ => Vec::new(),
            };
            children.extend(
                named
                    .into_iter()
                    .filter_map(|(which, revision)| match which {
                        Which::Literal(name) => Some((name, revision)),
                        Which::Computed(_) => None,
                    }),
            );
        }
        children
    }
}
