//! `result`: prints the outcome of an execution.

use std::time::Duration;

use millpond::domain::ExecutionId;
use serde_json::json;

use super::command::Run;
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::find::{Named, with_near};
use super::needs::Needs;

/// Print the result of an execution, or its failure
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    named: Named,
    /// Wait up to this time for the end
    #[arg(long, value_name = "SECS", value_parser = crate::environment::seconds)]
    wait: Option<Duration>,
}

impl Run for Args {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let eid = self.named.eid(context).await?;
        show(context, eid, self.wait.unwrap_or_default()).await
    }
}

/// Waits up to `wait` for the end, and prints the outcome.
///
/// # Errors
/// There is no such execution, or it did not end in that time; the store failed.
pub(crate) async fn show(
    context: &CommandContext,
    eid: ExecutionId,
    wait: Duration,
) -> Result<Exit, Error> {
    let outcome = match context.engine.result(eid, wait).await {
        Ok(outcome) => outcome,
        Err(error) => return Err(with_near(context, error).await),
    };
    let status = outcome.status;
    match (&outcome.value, context.streams.json()) {
        (Ok(value), true) => context
            .streams
            .document(&json!({"eid": eid, "status": status, "value": value}))?,
        (Err(failure), true) => context
            .streams
            .document(&json!({"eid": eid, "status": status, "failure": failure}))?,
        (Ok(value), false) => context.streams.value(value)?,
        (Err(failure), false) if failure.kind == status.as_str() => context.streams.note(failure),
        (Err(failure), false) => context.streams.note(format!("{status}: {failure}")),
    }
    Ok(Exit::of(status))
}
