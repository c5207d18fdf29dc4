//! Definitions that start each other without a condition.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::diagnostic::{Code, Diagnostic};
use super::report::Known;
use crate::definition::{Definition, Kind, Map, Name, NodeId, When, Which};
use crate::pointer;

/// The most definitions that are followed.
const MOST_DEFINITIONS: usize = 1_000;

pub(super) fn check(definition: &Definition, known: &dyn Known) -> Vec<Diagnostic> {
    let mut followed = Followed {
        known,
        starts: BTreeMap::new(),
    };
    let mut findings = Vec::new();
    for (node, path, id) in unconditional(definition) {
        if let Some(way) = followed.way(id, &definition.id) {
            let way = way
                .iter()
                .map(Name::as_str)
                .collect::<Vec<_>>()
                .join(" -> ");
            let message = format!(
                "this definition starts itself without a condition, so its runs end at the limit of depth: {} -> {way}",
                definition.id
            );
            let path = pointer::field("/nodes", node.as_str()) + &path;
            findings.push(Diagnostic::new(Code::ChildCycle, path, message));
        }
    }
    findings
}

/// What other definitions start without a condition, each read once.
struct Followed<'a> {
    known: &'a dyn Known,
    starts: BTreeMap<Name, Vec<Name>>,
}

impl Followed<'_> {
    /// Returns the shortest way from `start` to `end`, both included.
    fn way(&mut self, start: &Name, end: &Name) -> Option<Vec<Name>> {
        let mut before: BTreeMap<Name, Option<Name>> = BTreeMap::from([(start.clone(), None)]);
        let mut open = VecDeque::from([start.clone()]);
        while let Some(id) = open.pop_front() {
            if id == *end {
                let back = std::iter::successors(Some(id), |id| before.get(id).cloned().flatten());
                let mut way: Vec<Name> = back.collect();
                way.reverse();
                return Some(way);
            }
            for next in self.starts(&id) {
                if !before.contains_key(&next) {
                    before.insert(next.clone(), Some(id.clone()));
                    open.push_back(next);
                }
            }
        }
        None
    }

    fn starts(&mut self, id: &Name) -> Vec<Name> {
        if let Some(starts) = self.starts.get(id) {
            return starts.clone();
        }
        if self.starts.len() >= MOST_DEFINITIONS {
            return Vec::new();
        }
        let definition = self.known.definition(id);
        let starts = definition.iter().flat_map(|definition| {
            unconditional(definition)
                .into_iter()
                .map(|(_, _, id)| id.clone())
        });
        let starts: BTreeSet<Name> = starts.collect();
        let starts: Vec<Name> = starts.into_iter().collect();
        self.starts.insert(id.clone(), starts.clone());
        starts
    }
}

/// Returns the definitions that each run of this definition starts, with the node and the place in it.
fn unconditional(definition: &Definition) -> Vec<(&NodeId, String, &Name)> {
    let mut always: BTreeMap<&NodeId, Vec<&NodeId>> = BTreeMap::new();
    for edge in definition
        .edges
        .iter()
        .filter(|edge| edge.when == When::Always)
    {
        always.entry(&edge.from).or_default().push(&edge.to);
    }
    let mut reached: BTreeSet<&NodeId> = BTreeSet::new();
    let mut open: Vec<&NodeId> = definition.entry.iter().collect();
    while let Some(node) = open.pop() {
        if reached.insert(node) {
            open.extend(always.get(node).into_iter().flatten());
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
