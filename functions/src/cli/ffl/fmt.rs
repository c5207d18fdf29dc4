//! `ffl fmt`: rewrites texts in the canonical form.

use std::path::PathBuf;

use millpond_ffl::format::format;
use millpond_ffl::source::{MAX_TEXT, Origin, Sources};
use serde_json::json;

use super::super::error::Error;
use super::super::exit::Exit;
use super::super::input::Input;
use super::super::streams::Streams;
use super::replace::replace;
use super::{paths, report};

/// Rewrite texts in the canonical form, and print the names of those that changed
///
/// A file is replaced as a whole. Standard input is formatted to stdout. A text with syntax errors
/// is not changed, and the exit code is 1.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The texts; `-` only alone
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Change nothing; exit code 1 if a text is not in the canonical form
    #[arg(long)]
    check: bool,
}

pub(super) fn run(args: &Args, streams: &Streams) -> Result<Exit, Error> {
    let inputs = paths::texts(&args.paths)?;
    if inputs.len() > 1 && inputs.contains(&Input::Standard) {
        return Err(Error::Usage(
            "cannot format standard input and files together: both print to stdout; name `-` alone"
                .to_owned(),
        ));
    }
    let mut exit = Exit::Done;
    let mut changed = Vec::new();
    // All texts are read before the first is written: an unreadable one changes nothing.
    for input in inputs {
        let mut sources = Sources::new();
        let name = input.to_string();
        let id = sources.add_bytes(&name, Origin::Primary, &input.bytes(MAX_TEXT)?)?;
        match format(&sources, id) {
            Ok(text) if input == Input::Standard && !args.check => return print(&text, streams),
            Ok(text) if text == sources.get(id).text() => {}
            Ok(text) => changed.push((input, name, text)),
            Err(found) => {
                report::note(&found, &sources, streams);
                exit = Exit::Failed;
            }
        }
    }
    if args.check {
        exit = if changed.is_empty() {
            exit
        } else {
            Exit::Failed
        };
    } else {
        for (input, _, text) in &changed {
            if let Input::File(path) = input {
                replace(path, text.as_bytes())?;
            }
        }
    }
    let names: Vec<&str> = changed.iter().map(|(_, name, _)| name.as_str()).collect();
    if streams.json() {
        streams.document(&json!({"changed": names}))?;
    } else {
        for name in names {
            streams.line(name)?;
        }
    }
    Ok(exit)
}

fn print(text: &str, streams: &Streams) -> Result<Exit, Error> {
    if streams.json() {
        streams.document(&json!({"text": text}))?;
    } else {
        streams.bytes(text.as_bytes())?;
    }
    Ok(Exit::Done)
}
