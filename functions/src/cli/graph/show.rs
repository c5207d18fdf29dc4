//! `graph show`: prints a run.

use millpond::client::EngineError;
use millpond::{ExecutionId, domain::Status};
use millpond_graph::run::{Activity, Asked, Snapshot, activities, snapshot};
use serde_json::json;

use super::super::command::Run;
use super::super::context::CommandContext;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::find::{Named, with_near};
use super::super::needs::Needs;
use super::super::text::cut;

/// Maximum length of a message or a failure in a line, in characters.
const MAX_TEXT: usize = 100;

/// Show a run: its status, what it asks for, and what its activations have begun
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    named: Named,
}

impl Run for Args {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let run = self.named.eid(context).await?;
        let (status, shown, begun) = match look(context, run).await {
            Ok(found) => found,
            Err(error) => return Err(with_near(context, error).await),
        };
        if context.streams.json() {
            let run = json!({"eid": run, "status": status, "snapshot": shown, "activities": begun});
            context.streams.document(&run)?;
            return Ok(Exit::Done);
        }
        context.streams.line(format!("{status}: eid={run}"))?;
        let asked = shown.iter().flat_map(|shown| &shown.interactions);
        for one in asked {
            context.streams.line(question(one))?;
        }
        for one in &begun {
            context.streams.line(activity(one))?;
        }
        Ok(Exit::Done)
    }
}

/// The status of a run, its last snapshot, and its activities.
async fn look(
    context: &CommandContext,
    run: ExecutionId,
) -> Result<(String, Option<Snapshot>, Vec<Activity>), EngineError> {
    let status = context.engine.execution(run).await?.status;
    let begun = activities(&context.engine, run).await?;
    if status.is_terminal() {
        return Ok((status.as_str().to_owned(), None, begun));
    }
    let shown = snapshot(&context.engine, run).await?;
    Ok((name(status, shown.as_ref()), shown, begun))
}

/// The status of the run; that of its execution if an operator must act on the latter.
fn name(status: Status, shown: Option<&Snapshot>) -> String {
    match (status, shown) {
        (Status::Paused | Status::Blocked, _) => status.as_str().to_owned(),
        (_, Some(shown)) => shown.status.clone(),
        (_, None) => "running".to_owned(),
    }
}

/// A line for what a run asks for.
pub(super) fn question(asked: &Asked) -> String {
    let lost = "an attempt was lost with its worker";
    let message = cut(asked.message.as_deref().unwrap_or(lost), MAX_TEXT);
    let Asked {
        kind,
        node,
        sequence,
        generation,
        ..
    } = asked;
    format!("{kind}: {message}: node={node}, sequence={sequence}, generation={generation}")
}

/// A line for an activation.
fn activity(one: &Activity) -> String {
    let mut line = format!("{} {}: {}", one.activation, one.node, one.status.name());
    if let Some(failure) = &one.failure {
        line = format!("{line}: {}", cut(failure, MAX_TEXT));
    }
    if one.attempts > 1 {
        line = format!("{line}: attempts={}", one.attempts);
    }
    if !one.children.is_empty() {
        line = format!("{line}: children={}", one.children.len());
    }
    line
}
