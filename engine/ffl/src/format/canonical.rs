//! Formatting one text.

use super::printer::Printer;
use crate::diag::Diagnostic;
use crate::parse::parse;
use crate::source::{SourceId, Sources};

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
