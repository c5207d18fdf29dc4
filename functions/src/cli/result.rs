//! `result`: how an execution ended.

use std::time::Duration;

use millpond::domain::ExecutionId;
use serde_json::json;

use super::Exit;
use super::desk::Desk;
use super::error::Error;
use super::find::{Named, with_near};

/// Print how an execution ended: its value, or why it has none
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    named: Named,
    /// Wait for the end so long
    #[arg(long, value_name = "SECS", value_parser = crate::environment::seconds)]
    wait: Option<Duration>,
}

pub(crate) async fn run(args: Args, desk: &Desk) -> Result<Exit, Error> {
    let eid = args.named.eid(desk).await?;
    show(desk, eid, args.wait.unwrap_or_default()).await
}

/// Waits for the end up to `wait`, and prints it.
///
/// # Errors
/// No such execution, or not in that time; the store failed.
pub(crate) async fn show(desk: &Desk, eid: ExecutionId, wait: Duration) -> Result<Exit, Error> {
    let outcome = match desk.engine.result(eid, wait).await {
        Ok(outcome) => outcome,
        Err(error) => return Err(with_near(desk, error).await),
    };
    let status = outcome.status;
    match (&outcome.value, desk.streams.json()) {
        (Ok(value), true) => desk
            .streams
            .document(&json!({"eid": eid, "status": status, "value": value}))?,
        (Err(failure), true) => desk
            .streams
            .document(&json!({"eid": eid, "status": status, "failure": failure}))?,
        (Ok(value), false) => desk.streams.line(value.as_str())?,
        (Err(failure), false) if failure.kind == status.as_str() => desk.streams.note(failure),
        (Err(failure), false) => desk.streams.note(format!("{status}: {failure}")),
    }
    Ok(Exit::of(status))
}
