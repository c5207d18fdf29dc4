//! `retry`: begins failed or blocked executions again.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use futures::{StreamExt, stream};
use millpond::client::{EngineError, Filter};
use millpond::domain::{ExecutionId, FrameId, RetryRequest, Status, Workflow};
use serde_json::json;

use super::command::Run;
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::find::{self, with_near};
use super::needs::Needs;

/// Requests that are under way at once.
const CONCURRENCY: usize = 16;
/// Executions between two reports of progress.
const PROGRESS: usize = 100;

/// Begin a failed or blocked execution again, from the failure or from a frame
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The execution: its id, the beginning or end of it, or key:KEY
    #[arg(value_name = "EID", required_unless_present = "status")]
    eid: Option<String>,
    /// Instead of one execution, all that have this status; repeatable
    #[arg(long, value_name = "STATUS", value_parser = status(), conflicts_with_all = ["eid", "from", "fence"])]
    status: Vec<Status>,
    /// Of these, only executions of this workflow
    #[arg(long, value_name = "NAME", requires = "status")]
    workflow: Option<Workflow>,
    /// The frame to begin from, as `show` names it: its outcome, and all that followed, is void
    #[arg(long, value_name = "FRAME", value_parser = FrameId::parse)]
    from: Option<FrameId>,
    /// Only if the execution has no entry after this one, as `show` counts them
    #[arg(long, value_name = "ENTRY")]
    fence: Option<u64>,
    /// The reason, for the journal
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
}

fn status() -> impl TypedValueParser<Value = Status> {
    let retried = [Status::Failed, Status::Blocked];
    PossibleValuesParser::new(retried.map(Status::as_str)).map(|name| {
        let found = Status::named(&name);
        found.expect("the parser accepts only these names")
    })
}

impl Run for Args {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let request = RetryRequest {
            from: self.from.clone(),
            fence: self.fence,
            ..RetryRequest::new().reason(&self.reason)
        };
        match &self.eid {
            Some(eid) => {
                let eid = find::eid(context, eid).await?;
                one(context, eid, request).await
            }
            None => all(context, self.status, self.workflow, request).await,
        }
    }
}

async fn one(
    context: &CommandContext,
    eid: ExecutionId,
    request: RetryRequest,
) -> Result<Exit, Error> {
    let actor = context.actor.clone();
    if let Err(error) = context.engine.retry(eid, request, actor).await {
        return Err(with_near(context, error).await);
    }
    if context.streams.json() {
        let report = json!({"eid": eid, "asked": "retry"});
        context.streams.document(&report)?;
    } else {
        context.streams.note(format!(
            "retry requested: a worker carries it out: eid={eid}"
        ));
    }
    Ok(Exit::Done)
}

/// Retries all executions that match. One that has changed since is counted, and left as it is.
async fn all(
    context: &CommandContext,
    status: Vec<Status>,
    workflow: Option<Workflow>,
    request: RetryRequest,
) -> Result<Exit, Error> {
    let filter = Filter {
        status,
        workflow,
        limit: None,
    };
    let rows = context.engine.list(&filter).await?;
    let total = rows.len();
    let (mut retried, mut changed) = (0, 0);
    let asks: Vec<_> = rows
        .iter()
        .map(|row| {
            let (eid, request, actor) = (row.eid, request.clone(), context.actor.clone());
            context.engine.retry(eid, request, actor)
        })
        .collect();
    let mut answers = stream::iter(asks).buffer_unordered(CONCURRENCY);
    while let Some(answer) = answers.next().await {
        match answer {
            Ok(()) => retried += 1,
            Err(
                EngineError::NotRetried { .. }
                | EngineError::UnknownExecution { .. }
                | EngineError::TerminalExecution { .. },
            ) => changed += 1,
            Err(error) => return Err(error.into()),
        }
        let done = retried + changed;
        if done % PROGRESS == 0 && done < total {
            context
                .streams
                .note(format!("retry: {done} of {total} executions"));
        }
    }
    if context.streams.json() {
        let report = json!({"asked": "retry", "executions": retried, "changed": changed});
        context.streams.document(&report)?;
    } else {
        context.streams.note(format!(
            "retry requested: workers carry it out: executions={retried} changed_meanwhile={changed}"
        ));
    }
    Ok(Exit::Done)
}
