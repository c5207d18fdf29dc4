//! Texts to a checked program.

use crate::check::check;
use crate::diag::{Diagnostic, Severity, sort};
use crate::form::Program;
use crate::json::{Detail, lower};
use crate::parse::parse;
use crate::source::Sources;

/// A program without errors.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// What may not be what the author means, sorted by position.
    pub warnings: Vec<Diagnostic>,
}

/// Compiles the texts to one program, in the order given.
///
/// # Errors
///
/// All errors and warnings, sorted by position, if there is an error. If a text cannot be parsed,
/// these are the syntax errors of all texts: the checks need complete trees.
pub fn compile(sources: &Sources, detail: Detail) -> Result<Compiled, Vec<Diagnostic>> {
    let mut files = Vec::with_capacity(sources.len());
    let mut found = Vec::new();
    for (id, _) in sources.iter() {
        let parsed = parse(sources, id);
        files.push(parsed.file);
        found.extend(parsed.diagnostics);
    }
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity() == Severity::Error;
    if !found.iter().any(is_error) {
        found.extend(check(&files));
    }
    sort(&mut found);
    if found.iter().any(is_error) {
        return Err(found);
    }
    Ok(Compiled {
        program: lower(&files, sources, detail),
        warnings: found,
    })
}
