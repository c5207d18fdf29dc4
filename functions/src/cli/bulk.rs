//! One request for one execution, or for all that match a filter.

use std::future::Future;

use futures::{StreamExt, stream};
use jiff::Timestamp;
use millpond::client::{EngineError, ErrorKind, Filter};
use millpond::domain::{ExecutionId, Status, Workflow};
use serde_json::json;

use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::find::{self, with_near};

/// Requests that are under way at once.
const CONCURRENCY: usize = 16;
/// Executions between two reports of progress.
const PROGRESS: usize = 100;

/// The executions that a command is for.
pub(super) struct Targets {
    /// One of them.
    pub(super) eid: Option<String>,
    /// Or all with one of these statuses.
    pub(super) status: Vec<Status>,
    pub(super) workflow: Option<Workflow>,
}

/// What a command does, for its reports.
pub(super) struct Verb {
    pub(super) name: &'static str,
    /// What follows from a request that succeeded.
    pub(super) done: &'static str,
}

/// Makes the request for each execution; of several, with the instant of its newest commit. Of these, one that has changed since it was listed is
/// counted, and left as it is.
///
/// # Errors
/// No execution is named, or the request for it is refused; the store failed.
pub(super) async fn each<F: Future<Output = Result<(), EngineError>>>(
    context: &CommandContext,
    targets: Targets,
    verb: &Verb,
    ask: impl Fn(ExecutionId, Option<Timestamp>) -> F,
) -> Result<Exit, Error> {
    match &targets.eid {
        Some(eid) => {
            let eid = find::eid(context, eid).await?;
            one(context, eid, verb, ask).await
        }
        None => all(context, targets, verb, ask).await,
    }
}

async fn one<F: Future<Output = Result<(), EngineError>>>(
    context: &CommandContext,
    eid: ExecutionId,
    verb: &Verb,
    ask: impl Fn(ExecutionId, Option<Timestamp>) -> F,
) -> Result<Exit, Error> {
    if let Err(error) = ask(eid, None).await {
        return Err(with_near(context, error).await);
    }
    if context.streams.json() {
        let report = json!({"eid": eid, "asked": verb.name});
        context.streams.document(&report)?;
    } else {
        let Verb { name, done } = verb;
        context.streams.note(format!("{name} {done}: eid={eid}"));
    }
    Ok(Exit::Done)
}

async fn all<F: Future<Output = Result<(), EngineError>>>(
    context: &CommandContext,
    targets: Targets,
    verb: &Verb,
    ask: impl Fn(ExecutionId, Option<Timestamp>) -> F,
) -> Result<Exit, Error> {
    let filter = Filter {
        status: targets.status,
        workflow: targets.workflow,
        limit: None,
    };
    let mut rows = context.engine.list(&filter).await?;
    rows.retain(|row| !row.deleted);
    let (total, Verb { name, done }) = (rows.len(), verb);
    let (mut asked, mut changed) = (0, 0);
    let asks: Vec<_> = rows
        .iter()
        .map(|row| ask(row.eid, Some(row.updated_at)))
        .collect();
    let mut answers = stream::iter(asks).buffer_unordered(CONCURRENCY);
    while let Some(answer) = answers.next().await {
        match answer {
            Ok(()) => asked += 1,
            Err(error) if matches!(error.kind(), ErrorKind::Conflict | ErrorKind::NotFound) => {
                changed += 1;
            }
            Err(error) => return Err(error.into()),
        }
        let so_far = asked + changed;
        if so_far % PROGRESS == 0 && so_far < total {
            let note = format!("{name}: {so_far} of {total} executions");
            context.streams.note(note);
        }
    }
    if context.streams.json() {
        let report = json!({"asked": name, "executions": asked, "changed": changed});
        context.streams.document(&report)?;
    } else {
        context.streams.note(format!(
            "{name} {done}: executions={asked} changed_meanwhile={changed}"
        ));
    }
    Ok(Exit::Done)
}
