//! Parsing one text, and the result.

use super::parser::Parser;
use crate::ast::File;
use crate::diag::{Diagnostic, sort};
use crate::lex::Comment;
use crate::source::{SourceId, Sources};

/// The most errors that [`parse`] reports for one text.
pub const MAX_ERRORS: usize = 20;

/// What [`parse`] found in one text.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The syntax tree. If there are errors, it lacks what could not be read, and it must not be
    /// compiled.
    pub file: File,
    /// The comments, in text order.
    pub comments: Vec<Comment>,
    /// The errors, sorted by position; at most [`MAX_ERRORS`].
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads one text, in time linear to its length.
#[must_use]
pub fn parse(sources: &Sources, source: SourceId) -> Parsed {
    let mut parser = Parser::new(source, sources.get(source));
    let file = parser.file();
    let (comments, mut diagnostics) = parser.finish();
    sort(&mut diagnostics);
    if diagnostics.len() >= MAX_ERRORS {
        diagnostics.truncate(MAX_ERRORS);
        let last = diagnostics.pop().expect("there are MAX_ERRORS errors");
        let help = last
            .help
            .clone()
            .map(|help| help + "; ")
            .unwrap_or_default();
        diagnostics.push(last.help(format!(
            "{help}only the first {MAX_ERRORS} errors are reported"
        )));
    }
    Parsed {
        file,
        comments,
        diagnostics,
    }
}
