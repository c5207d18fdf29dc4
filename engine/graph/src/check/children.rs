//! Definitions that start each other without a condition.

use std::collections::BTreeSet;

use super::diagnostic::{Code, Diagnostic};
use super::report::Known;
use crate::definition::{Definition, Kind, Map, Name, NodeId, When, Which};
use crate::pointer;

/// The most definitions that are followed.
const MOST_DEFINITIONS: usize = 1_000;

pub(super) fn check(definition: &Definition, known: &dyn Known) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for (node, path, id) in unconditional(definition) {
        if let Some(cycle) = cycle(definition, id, known) {
            let way = cycle
                .iter()
                .map(Name::as_str)
                .collect::<Vec<_>>()
                .join(" -> ");
            let message = format!(
                "this definition starts itself without a condition, so its runs end at the limit of \
                depth: {} -> {way}",
                definition.id
            );
            findings.push(Diagnostic::new(
                Code::ChildCycle,
                pointer::field("/nodes", node.as_str()) + &path,
                message,
            ));
        }
    }
    findings
}

/// Returns the way from `start` back to the definition, without conditions.
fn cycle(definition: &Definition, start: &Name, known: &dyn Known) -> Option<Vec<Name>> {
    let mut seen = BTreeSet::new();
    let mut open = vec![vec![start.clone()]];
    while let Some(way) = open.pop() {
        let last = way.last().expect("a way has at least its start");
        if *last == definition.id {
            return Some(way);
        }
        if seen.len() >= MOST_DEFINITIONS || !seen.insert(last.clone()) {
            continue;
        }
        if let Some(child) = known.definition(last) {
            for (_, _, id) in unconditional(&child) {
                open.push(way.iter().cloned().chain([id.clone()]).collect());
            }
        }
    }
    None
}

/// Returns the definitions that each run of this definition starts, with the node and the place in it.
fn unconditional(definition: &Definition) -> Vec<(&NodeId, String, &Name)> {
    let mut reached: BTreeSet<&NodeId> = BTreeSet::new();
    let mut open: Vec<&NodeId> = definition.entry.iter().collect();
    while let Some(node) = open.pop() {
        if reached.insert(node) {
            let edges = definition
                .edges
                .iter()
                .filter(|edge| edge.from == *node && edge.when == When::Always);
            open.extend(edges.map(|edge| &edge.to));
        }
    }
    let nodes = reached
        .into_iter()
        .filter_map(|id| definition.nodes.get_key_value(id));
    let mut list = Vec::new();
    for (id, node) in nodes {
        for (path, which) in started(&node.kind) {
            if let Which::Literal(name) = which {
                list.push((id, path + "/definition", name));
            }
        }
    }
    list
}

/// Returns what a node starts, with the place in it.
fn started(kind: &Kind) -> Vec<(String, &Which)> {
    match kind {
        Kind::Child(child) => vec![("/child".to_owned(), &child.definition)],
        Kind::Map(Map::Over(over)) => vec![("/map".to_owned(), &over.definition)],
        Kind::Pipeline(line) => {
            let stages = line.children.iter().enumerate();
            stages
                .map(|(index, stage)| (format!("/pipeline/children/{index}"), &stage.definition))
                .collect()
        }
        _ => Vec::new(),
    }
}
