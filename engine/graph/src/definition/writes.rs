//! Which keys a node contributes to.

use super::ids::StateKey;
use super::node::{Kind, Node};
use crate::pointer;

impl Node {
    /// Returns the keys that the node names as targets, each with the JSON Pointer of its mention
    /// within the node.
    ///
    /// A pipeline without reductions contributes to other keys, too: those of its last child.
    #[must_use]
    pub fn writes(&self) -> Vec<(String, &StateKey)> {
        let mut list = Vec::new();
        match &self.kind {
            Kind::Action(action) => {
                list.extend(action.target.iter().map(|key| ("/target".to_owned(), key)));
                list.extend(
                    action
                        .writes
                        .iter()
                        .map(|(field, key)| (pointer::field("/writes", field), key)),
                );
            }
            Kind::Agent(agent) => {
                list.extend(agent.text.iter().map(|key| ("/text".to_owned(), key)));
                let structured = agent.structured.iter();
                list.extend(
                    structured.map(|structured| ("/structured/key".to_owned(), &structured.key)),
                );
            }
            Kind::State(keys) => {
                list.extend(
                    keys.keys()
                        .map(|key| (pointer::field("/state", key.as_str()), key)),
                );
            }
            Kind::Input(ask) => list.push(("/input/target".to_owned(), &ask.target)),
            Kind::Child(child) => {
                list.extend(
                    child
                        .reduce
                        .iter()
                        .map(|(path, key)| (pointer::field("/child/reduce", path), key)),
                );
            }
            Kind::Map(map) => {
                list.extend(
                    map.reduce()
                        .iter()
                        .map(|(path, key)| (pointer::field("/map/reduce", path), key)),
                );
            }
            Kind::Pipeline(line) => {
                list.extend(
                    line.reduce
                        .iter()
                        .map(|(path, key)| (pointer::field("/pipeline/reduce", path), key)),
                );
            }
            Kind::Sleep(_) | Kind::JoinAll | Kind::JoinFirst => {}
        }
        list
    }
}
