//! How the findings of FFL texts are shown.

use millpond_ffl::diag::{Diagnostic, located, render};
use millpond_ffl::source::Sources;
use serde_json::{Value, json};

use super::super::streams::Streams;

/// Shows findings beside the result: drawn with their source lines, or as a JSON document.
pub(super) fn note(found: &[Diagnostic], sources: &Sources, streams: &Streams) {
    if found.is_empty() {
        return;
    }
    if streams.json() {
        streams.note(document(found, sources));
    } else {
        streams.note(render(found, sources, streams.color()).trim_end());
    }
}

/// Findings as JSON.
pub(super) fn document(found: &[Diagnostic], sources: &Sources) -> Value {
    json!({"diagnostics": located(found, sources)})
}
