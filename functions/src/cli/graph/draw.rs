//! `graph draw`: draws a definition, or a run of it.

use millpond_graph::definition::Definition;
use millpond_graph::draw::{Marks, dot, mermaid};
use millpond_graph::run::activities;
use serde_json::json;

use super::super::command::Launch;
use super::super::context::CommandContext;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::find::{eid, with_near};
use super::super::invocation::Invocation;
use super::super::needs::Needs;
use super::load::Text;
use super::report;

/// Print a diagram of a definition, or of a run of it
///
/// If the definition has an error, nothing is drawn, and the exit code is 1.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    text: Text,
    /// The language of the diagram
    #[arg(long, value_name = "LANGUAGE", value_enum, default_value = "mermaid")]
    format: Language,
    /// Mark what this run has begun: its id, the beginning or end of it, or key:KEY
    #[arg(long, value_name = "EID")]
    run: Option<String>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Language {
    Mermaid,
    Dot,
}

impl Launch for Args {
    async fn launch(self, invocation: Invocation<'_>) -> Result<Exit, Error> {
        let (name, report) = self.text.check()?;
        report::note(&name, &report.findings, invocation.streams);
        let valid = report.is_valid();
        let Some(definition) = report.definition.filter(|_| valid) else {
            return Ok(Exit::Failed);
        };
        let streams = invocation.streams.clone();
        let marks = match &self.run {
            Some(run) => marks(invocation, run, &definition).await?,
            None => Marks::default(),
        };
        let text = match self.format {
            Language::Mermaid => mermaid(&definition, &marks),
            Language::Dot => dot(&definition, &marks),
        };
        if streams.json() {
            streams.document(&json!({"diagram": text}))?;
        } else {
            streams.bytes(text.as_bytes())?;
        }
        Ok(Exit::Done)
    }
}

/// The marks of a run of this definition.
async fn marks(
    invocation: Invocation<'_>,
    run: &str,
    definition: &Definition,
) -> Result<Marks, Error> {
    let context = Box::pin(CommandContext::open(invocation, Needs::ONE_SHOT)).await?;
    let run = eid(&context, run).await?;
    let record = match context.engine.execution(run).await {
        Ok(execution) => execution.record,
        Err(error) => return Err(with_near(&context, error).await),
    };
    let (workflow, id) = (record.workflow.as_str(), definition.id.as_str());
    if workflow != id {
        return Err(Error::Usage(format!(
            "the run is one of another definition; pass the file of that one: eid={run}, definition={workflow}, \
             file={id}"
        )));
    }
    if record.version != definition.revision().as_str() {
        context.streams.note(format!(
            "warning: the run executes another revision of the definition: eid={run}, revision={}",
            record.version
        ));
    }
    Ok(Marks::of(&activities(&context.engine, run).await?))
}
