//! Diagnostics with file names, lines and columns: their JSON form.

use serde::Serialize;

use super::{Code, Diagnostic, Severity};
use crate::source::{Sources, Span};

/// A range of a named text, in lines and columns as well as in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// The name of the text.
    pub file: String,
    /// The line of the first character, from 1.
    pub line: u32,
    /// The column of the first character, from 1.
    pub column: u32,
    /// The line of the end.
    pub end_line: u32,
    /// The column of the end, exclusive.
    pub end_column: u32,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

/// A [`Diagnostic`] that can be read without the texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Located {
    /// The kind of the problem.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong with what.
    pub message: String,
    /// Where.
    pub span: Place,
    /// Other places that explain it.
    pub labels: Vec<LocatedLabel>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// A label of a [`Located`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LocatedLabel {
    /// The place.
    pub span: Place,
    /// What is there.
    pub text: String,
}

impl Place {
    /// The range of `span` in `sources`.
    #[must_use]
    pub fn of(span: Span, sources: &Sources) -> Self {
        let source = sources.get(span.source);
        let (from, to) = (source.position(span.start), source.position(span.end));
        Self {
            file: source.name().to_owned(),
            line: from.line,
            column: from.column,
            end_line: to.line,
            end_column: to.column,
            start: span.start,
            end: span.end,
        }
    }
}

/// Adds file names, lines and columns.
#[must_use]
pub fn located(diagnostics: &[Diagnostic], sources: &Sources) -> Vec<Located> {
    let one = |diagnostic: &Diagnostic| Located {
        code: diagnostic.code,
        severity: diagnostic.severity(),
        message: diagnostic.message.clone(),
        span: Place::of(diagnostic.span, sources),
        labels: diagnostic
            .labels
            .iter()
            .map(|label| LocatedLabel {
                span: Place::of(label.span, sources),
                text: label.text.clone(),
            })
            .collect(),
        help: diagnostic.help.clone(),
    };
    diagnostics.iter().map(one).collect()
}
