//! A program that a command runs, explains or draws.

use millpond_ffl::json::{Detail, Document};
use millpond_ffl::program::{self, SourceDigest};
use millpond_ffl::run::Executable;

use super::super::error::Error;
use super::super::streams::Streams;
use super::load::Texts;
use super::report;

/// Compiles the texts. Findings are reported; `None` if there is an error among them.
///
/// # Errors
/// A text cannot be read, is not UTF-8, or the program is too large.
pub(super) fn load(texts: &Texts, streams: &Streams) -> Result<Option<Executable>, Error> {
    let sources = texts.load()?;
    match program::compile(&sources, Detail::FULL) {
        Ok(compiled) => {
            report::note(&compiled.warnings, &sources, streams);
            let document = Document::new(compiled.program, SourceDigest::of(&sources));
            Ok(Some(Executable::new(document)))
        }
        Err(found) => {
            report::note(&found, &sources, streams);
            Ok(None)
        }
    }
}

/// The workflow of this name or, without a name, the only one of the program.
///
/// # Errors
/// No name is given, and the program has no workflow or several.
pub(super) fn workflow(name: Option<&str>, program: &Executable) -> Result<String, Error> {
    if let Some(name) = name {
        return Ok(name.to_owned());
    }
    let all: Vec<String> = program.workflows().into_iter().collect();
    match all.as_slice() {
        [] => Err(Error::Usage("the texts declare no workflow".to_owned())),
        [only] => Ok(only.clone()),
        all => Err(Error::Usage(format!(
            "the program has several workflows: name one with --workflow: workflows={}",
            all.join(",")
        ))),
    }
}
