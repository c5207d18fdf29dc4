//! `ffl graph`: draws a workflow.

use millpond_ffl::draw::Diagram;
use serde_json::json;

use super::super::error::Error;
use super::super::exit::Exit;
use super::super::streams::Streams;
use super::load::Texts;
use super::program::{self, workflow};

/// Print a diagram of a workflow or facet
///
/// If there is an error in the texts, nothing is drawn, and the exit code is 1.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    texts: Texts,
    /// The qualified name of a workflow or facet [default: the only workflow of the program]
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,
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
    let Some(program) = program::load(&args.texts, streams)? else {
        return Ok(Exit::Failed);
    };
    let name = workflow(args.workflow.as_deref(), &program)?;
    let Some(diagram) = Diagram::of(program.program(), &name) else {
        return Err(Error::Usage(format!(
            "the texts declare no such workflow or facet: name={name}"
        )));
    };
    let text = match args.format {
        Language::Mermaid => diagram.mermaid(),
        Language::Dot => diagram.dot(),
    };
    if streams.json() {
        streams.document(&json!({"diagram": text}))?;
    } else {
        streams.bytes(text.as_bytes())?;
    }
    Ok(Exit::Done)
}
