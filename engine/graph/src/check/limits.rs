//! Bounds of a definition.

use super::diagnostic::{Code, Diagnostic};
use crate::definition::{Definition, Span};
use crate::limits::{Limits, within};
use crate::pointer;

/// The longest deadline: 365 days.
const MOST_DEADLINE: Span = Span::from_millis(365 * 86_400_000);

pub(super) fn check(definition: &Definition, limits: &Limits) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for (name, path, found, most) in [
        ("nodes", "/nodes", definition.nodes.len(), limits.nodes),
        ("edges", "/edges", definition.edges.len(), limits.edges),
        (
            "frontier",
            "/entry",
            definition.entry.len(),
            limits.frontier,
        ),
        (
            "definition",
            "",
            definition.canonical().len(),
            limits.definition,
        ),
    ] {
        if let Err(limit) = within(name, found, most) {
            findings.push(Diagnostic::new(Code::Limit, path, limit.to_string()));
        }
    }
    for (id, node) in &definition.nodes {
        if node.deadline() > MOST_DEADLINE {
            let path = pointer::field("/nodes", id.as_str()) + "/deadline";
            let message = format!(
                "a deadline is at most {MOST_DEADLINE}: deadline={}",
                node.deadline()
            );
            findings.push(Diagnostic::new(Code::Limit, path, message));
        }
    }
    findings
}
