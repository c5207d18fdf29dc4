//! What both diagrams show.

use std::collections::BTreeMap;

use crate::definition::{Definition, Kind, Map, NodeId, Sleep, When, Which};

/// The longest text of a label, in characters.
const MOST_LABEL: usize = 60;

pub(super) struct Picture<'a> {
    pub(super) title: &'a str,
    /// Each node: what is shown below its id.
    pub(super) nodes: Vec<(&'a NodeId, &'a Kind, String)>,
    pub(super) entries: Vec<usize>,
    /// Each edge between known nodes: ends and label.
    pub(super) edges: Vec<(usize, usize, Option<String>)>,
}

impl<'a> Picture<'a> {
    pub(super) fn of(definition: &'a Definition) -> Self {
        let nodes = definition
            .nodes
            .iter()
            .map(|(id, node)| (id, &node.kind, describe(&node.kind)));
        let numbers: BTreeMap<&NodeId, usize> = definition.nodes.keys().zip(0..).collect();
        let edges = definition.edges.iter().filter_map(|edge| {
            let label = match &edge.when {
                When::Always => None,
                When::If(condition) => Some(shorten(condition.as_str())),
                When::Else => Some("else".to_owned()),
            };
            Some((*numbers.get(&edge.from)?, *numbers.get(&edge.to)?, label))
        });
        Self {
            title: definition.id.as_str(),
            nodes: nodes.collect(),
            entries: definition
                .entry
                .iter()
                .filter_map(|id| numbers.get(id).copied())
                .collect(),
            edges: edges.collect(),
        }
    }
}

fn describe(kind: &Kind) -> String {
    let which = |which: &Which| match which {
        Which::Literal(name) => name.to_string(),
        Which::Computed(computed) => computed.cel.to_string(),
    };
    let detail = match kind {
        Kind::Action(action) => action.action.to_string(),
        Kind::Agent(agent) => agent.agent.to_string(),
        Kind::State(keys) => keys
            .keys()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", "),
        Kind::Input(ask) => ask.target.to_string(),
        Kind::Sleep(Sleep::For(span)) => span.to_string(),
        Kind::Sleep(Sleep::Until(until)) => format!("until {}", until.until),
        Kind::Child(child) => which(&child.definition),
        Kind::Map(Map::Over(over)) => which(&over.definition),
        Kind::Map(Map::Tasks(tasks)) => tasks.tasks.to_string(),
        Kind::Pipeline(line) => line
            .children
            .iter()
            .map(|stage| which(&stage.definition))
            .collect::<Vec<_>>()
            .join(", "),
        Kind::JoinAll | Kind::JoinFirst => String::new(),
    };
    let label = if detail.is_empty() {
        kind.name().to_owned()
    } else {
        format!("{}: {detail}", kind.name())
    };
    shorten(&label)
}

fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MOST_LABEL {
        return line;
    }
    line.chars().take(MOST_LABEL - 3).collect::<String>() + "..."
}
