//! `ffl compile`: compiles texts to the JSON form of one program.

use std::path::PathBuf;

use millpond_ffl::json::{Detail, emit, emit_pretty};
use millpond_ffl::program;

use super::super::error::Error;
use super::super::exit::Exit;
use super::super::streams::Streams;
use super::load::Texts;
use super::replace::replace;
use super::report;

/// Compile texts to one program and print its JSON form
///
/// If there is an error, nothing is printed or written, and the exit code is 1.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    texts: Texts,
    /// Write the program to FILE instead of stdout
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write one property per line
    #[arg(long)]
    pretty: bool,
    /// Add the places of expressions, and the text of each place
    #[arg(long)]
    full: bool,
}

pub(super) fn run(args: &Args, streams: &Streams) -> Result<Exit, Error> {
    let sources = args.texts.load()?;
    let detail = match args.full {
        true => Detail::FULL,
        false => Detail::default(),
    };
    let compiled = match program::compile(&sources, detail) {
        Ok(compiled) => compiled,
        Err(found) => {
            report::note(&found, &sources, streams);
            return Ok(Exit::Failed);
        }
    };
    report::note(&compiled.warnings, &sources, streams);
    let mut text = match args.pretty {
        true => emit_pretty(&compiled.program),
        false => emit(&compiled.program),
    };
    text.push('\n');
    match &args.output {
        Some(path) => replace(path, text.as_bytes())?,
        None => streams.bytes(text.as_bytes())?,
    }
    Ok(Exit::Done)
}
