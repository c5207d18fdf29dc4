//! Nodes and keys that do not exist.

use super::diagnostic::{Code, Diagnostic};
use crate::definition::{Definition, NodeId, StateKey};
use crate::pointer;

pub(super) fn check(definition: &Definition) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let mut node = |path: String, id: &NodeId| {
        if !definition.nodes.contains_key(id) {
            let finding = Diagnostic::new(
                Code::UnknownNode,
                path,
                format!("no node has the id {id:?}"),
            );
            findings.push(finding.near(id.as_str(), definition.nodes.keys().map(NodeId::as_str)));
        }
    };
    for (index, id) in definition.entry.iter().enumerate() {
        node(format!("/entry/{index}"), id);
    }
    for (index, edge) in definition.edges.iter().enumerate() {
        node(format!("/edges/{index}/from"), &edge.from);
        node(format!("/edges/{index}/to"), &edge.to);
    }
    let mut key = |path: String, key: &StateKey| {
        if !definition.state.contains_key(key) {
            let finding = Diagnostic::new(
                Code::UnknownKey,
                path,
                format!("the state has no key {key:?}"),
            );
            findings
                .push(finding.near(key.as_str(), definition.state.keys().map(StateKey::as_str)));
        }
    };
    if let Some(input) = &definition.input {
        for (list, keys) in [("required", &input.required), ("optional", &input.optional)] {
            for (index, name) in keys.iter().enumerate() {
                key(format!("/input/{list}/{index}"), name);
            }
        }
    }
    for (id, node) in &definition.nodes {
        for (path, name) in node.writes() {
            key(pointer::field("/nodes", id.as_str()) + &path, name);
        }
    }
    if let Some(input) = &definition.input {
        let both = input
            .optional
            .iter()
            .enumerate()
            .filter(|(_, key)| input.required.contains(key));
        for (index, key) in both {
            let message = format!("the key {key:?} is required, so it cannot be optional");
            findings.push(Diagnostic::new(
                Code::Contradiction,
                format!("/input/optional/{index}"),
                message,
            ));
        }
    }
    findings
}
