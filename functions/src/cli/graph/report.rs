//! How the findings of a definition are shown.

use millpond_graph::check::{Diagnostic, Severity};
use serde_json::{Value, json};

use super::super::streams::Streams;

/// Shows findings beside the result, one a line, or as a JSON document.
pub(super) fn note(name: &str, found: &[Diagnostic], streams: &Streams) {
    if streams.json() {
        if !found.is_empty() {
            streams.note(json!({"findings": documents(found)}));
        }
        return;
    }
    for one in found {
        streams.note(format!("{}: {name}: {one}", word(one.severity())));
    }
}

/// Findings as JSON.
pub(super) fn documents(found: &[Diagnostic]) -> Vec<Value> {
    let one = |one: &Diagnostic| {
        json!({
            "code": one.code.name(),
            "severity": word(one.severity()),
            "path": one.path,
            "line": one.place.map(|place| place.line),
            "column": one.place.map(|place| place.column),
            "message": one.message,
            "nearest": one.nearest,
        })
    };
    found.iter().map(one).collect()
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}
