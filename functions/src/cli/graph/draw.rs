//! `graph draw`: draws a definition.

use millpond_graph::draw::{Marks, dot, mermaid};
use serde_json::json;

use super::super::error::Error;
use super::super::exit::Exit;
use super::super::streams::Streams;
use super::load::Text;
use super::report;

/// Print a diagram of a definition
///
/// If the definition has an error, nothing is drawn, and the exit code is 1.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    text: Text,
    /// The language of the diagram
    #[arg(long, value_name = "LANGUAGE", value_enum, default_value = "mermaid")]
    format: Language,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Language {
    Mermaid,
    Dot,
}

pub(super) fn run(args: &Args, streams: &Streams) -> Result<Exit, Error> {
    let (name, report) = args.text.check()?;
    report::note(&name, &report.findings, streams);
    let valid = report.is_valid();
    let Some(definition) = report.definition.filter(|_| valid) else {
        return Ok(Exit::Failed);
    };
    let text = match args.format {
        Language::Mermaid => mermaid(&definition, &Marks::default()),
        Language::Dot => dot(&definition, &Marks::default()),
    };
    if streams.json() {
        streams.document(&json!({"diagram": text}))?;
    } else {
        streams.bytes(text.as_bytes())?;
    }
    Ok(Exit::Done)
}
