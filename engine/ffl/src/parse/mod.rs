//! Tokens to a syntax tree: recursive descent, one file per group of productions.
//!
//! The parser never fails: it reports what is wrong and continues, so one run finds several errors.
//! Three rules keep one mistake from causing several reports:
//!
//! - Lists, statements and declarations recover on their own (`recover`); a missing bracket is
//!   assumed where the next statement or declaration begins.
//! - One token causes at most one error.
//! - A text that nests too deeply, or whose string, comment or script does not end, has no further
//!   errors.

mod atom;
mod block;
mod body;
mod braces;
mod call;
mod decl;
mod expr;
mod list;
mod name;
mod parser;
mod recover;
mod reference;
mod script;
mod signature;
#[cfg(test)]
mod tests;
mod when;

use crate::ast::File;
use crate::diag::{Diagnostic, sort};
use crate::lex::Comment;
use crate::source::{SourceId, Sources};
pub use parser::MAX_DEPTH;
use parser::Parser;

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
