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
/// ```
/// use millpond_ffl::json::{Detail, emit};
/// use millpond_ffl::program::compile;
/// use millpond_ffl::source::{Origin, Sources};
///
/// let mut sources = Sources::new();
/// let text = "namespace shop { workflow Order(count: Int) => (twice: Int = $.count * 2) }";
/// sources.add("shop.ffl", Origin::Primary, text)?;
/// let compiled = compile(&sources, Detail::default()).expect("the text has no errors");
/// assert!(emit(&compiled.program).contains("WorkflowDecl"));
///
/// let mut sources = Sources::new();
/// sources.add("shop.ffl", Origin::Primary, "workflow Order(count: Integer)")?;
/// let errors = compile(&sources, Detail::default()).expect_err("the text has errors");
/// let codes: Vec<&str> = errors.iter().map(|error| error.code.as_str()).collect();
/// assert_eq!(codes, ["E105", "E205"]);
/// # Ok::<(), millpond_ffl::source::SourceError>(())
/// ```
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
