//! The canonical text of a source text.
//!
//! The formatter walks the syntax tree and takes the tokens in text order, each with the comments
//! before it (`printer`), so no token and no comment is lost. `layout` decides the line breaks.
//! What the canonical text is, is described in `docs/ffl.md`.

mod block;
mod decl;
mod expr;
mod layout;
mod printer;
#[cfg(test)]
mod tests;

use crate::diag::Diagnostic;
use crate::parse::parse;
use crate::source::{SourceId, Sources};
pub use layout::WIDTH;
use printer::Printer;

/// Gives the canonical text of one source text. It has the same tree, apart from spans, and
/// formatting it again changes nothing.
///
/// # Errors
///
/// The syntax errors of the text, if it has any.
pub fn format(sources: &Sources, source: SourceId) -> Result<String, Vec<Diagnostic>> {
    let parsed = parse(sources, source);
    if !parsed.diagnostics.is_empty() {
        return Err(parsed.diagnostics);
    }
    let mut printer = Printer::new(source, sources.get(source).text());
    printer.file(&parsed.file);
    Ok(printer.finish())
}
