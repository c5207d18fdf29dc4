//! `ffl check`: checks texts as one program.

use millpond_ffl::json::Detail;
use millpond_ffl::program;

use super::super::error::Error;
use super::super::exit::Exit;
use super::super::streams::Streams;
use super::load::Texts;
use super::report;

/// Check texts as one program and report every finding; exit code 1 if there is an error
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    texts: Texts,
}

pub(super) fn run(args: &Args, streams: &Streams) -> Result<Exit, Error> {
    let sources = args.texts.load()?;
    let (exit, found) = match program::compile(&sources, Detail::default()) {
        Ok(compiled) => (Exit::Done, compiled.warnings),
        Err(found) => (Exit::Failed, found),
    };
    if streams.json() {
        streams.document(&report::document(&found, &sources))?;
    } else {
        report::note(&found, &sources, streams);
    }
    Ok(exit)
}
