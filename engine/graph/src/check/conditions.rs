//! Edges of one node that may all be untaken, and edges that are never taken.

use std::collections::BTreeMap;

use super::diagnostic::{Code, Diagnostic};
use crate::definition::{Definition, Edge, NodeId, When};

pub(super) fn check(definition: &Definition) -> Vec<Diagnostic> {
    let mut by_source: BTreeMap<&NodeId, Vec<(usize, &Edge)>> = BTreeMap::new();
    for (index, edge) in definition.edges.iter().enumerate() {
        by_source.entry(&edge.from).or_default().push((index, edge));
    }
    let mut findings = Vec::new();
    for (source, edges) in by_source {
        let always = edges.iter().any(|(_, edge)| edge.when == When::Always);
        let others = edges.iter().filter(|(_, edge)| edge.when == When::Else);
        let mut others = others
            .map(|(index, _)| format!("/edges/{index}"))
            .peekable();
        if always {
            findings.extend(others.map(|path| {
                let message =
                    format!("this edge is never taken: {source:?} has an edge without condition");
                Diagnostic::new(Code::ElseNeverTaken, path, message)
            }));
        } else if others.peek().is_none() && !exhaustive(&edges) {
            let message = format!(
                "all conditions of {source:?} may be false, and its path then ends; add an `else` edge"
            );
            findings.push(Diagnostic::new(
                Code::NoElse,
                format!("/edges/{}", edges[0].0),
                message,
            ));
        }
    }
    findings
}

/// Returns whether one of the conditions is always true, or one is written as the opposite of another.
fn exhaustive(edges: &[(usize, &Edge)]) -> bool {
    let conditions: Vec<&str> = edges
        .iter()
        .filter_map(|(_, edge)| condition(edge))
        .collect();
    conditions
        .iter()
        .any(|one| *one == "true" || conditions.iter().any(|other| opposite(one, other)))
}

/// Returns the condition of an edge without blanks around it.
pub(super) fn condition(edge: &Edge) -> Option<&str> {
    match &edge.when {
        When::If(condition) => Some(condition.as_str().trim()),
        When::Always | When::Else => None,
    }
}

/// Returns whether `one` is `!other`, as far as that can be seen from the text.
pub(super) fn opposite(one: &str, other: &str) -> bool {
    let Some(inner) = one.strip_prefix('!').map(str::trim) else {
        return false;
    };
    let plain = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
    };
    let bracketed = inner
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .map(str::trim);
    (inner == other && plain(other)) || bracketed == Some(other)
}
