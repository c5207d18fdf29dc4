//! One error or warning.

use super::{Code, Severity};
use crate::source::Span;

/// One error or warning: what is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of the problem.
    pub code: Code,
    /// What is wrong with what, in one line.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Other places that explain it.
    pub labels: Vec<Label>,
    /// What to do.
    pub help: Option<String>,
}

/// A place that explains a [`Diagnostic`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is there.
    pub text: String,
}

impl Diagnostic {
    /// A diagnostic without labels and help.
    #[must_use]
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            span,
            labels: Vec::new(),
            help: None,
        }
    }

    /// Adds a place that explains the problem.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Sets what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Whether this is an error or a warning.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

/// Sorts diagnostics by text, then position, then code; removes exact duplicates.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| {
        (a.span.source, a.span.start, a.code, a.span.end, &a.message).cmp(&(
            b.span.source,
            b.span.start,
            b.code,
            b.span.end,
            &b.message,
        ))
    });
    diagnostics.dedup();
}
