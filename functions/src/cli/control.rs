//! `cancel`, `terminate`, `pause`, `resume`: requests of an operator to an execution.

use millpond::client::EngineError;
use millpond::domain::ExecutionId;
use serde_json::json;

use super::command::Run;
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::find::{Named, with_near};
use super::needs::Needs;

/// An execution, and a reason.
#[derive(Debug, clap::Args)]
struct Reasoned {
    #[command(flatten)]
    named: Named,
    /// The reason, for the journal
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
}

/// Cancel an execution: its clean-up code runs
#[derive(Debug, clap::Args)]
pub(crate) struct Cancel {
    #[command(flatten)]
    reasoned: Reasoned,
}

/// End an execution at once: none of its code runs
#[derive(Debug, clap::Args)]
pub(crate) struct Terminate {
    #[command(flatten)]
    reasoned: Reasoned,
}

/// Stop running an execution until it is resumed
#[derive(Debug, clap::Args)]
pub(crate) struct Pause {
    #[command(flatten)]
    reasoned: Reasoned,
}

/// Run a paused or blocked execution again
#[derive(Debug, clap::Args)]
pub(crate) struct Resume {
    #[command(flatten)]
    named: Named,
    /// Requests that it may make in a day from now on
    #[arg(long, value_name = "N")]
    budget: Option<u64>,
}

impl Run for Cancel {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let Reasoned { named, reason } = self.reasoned;
        let eid = named.eid(context).await?;
        let actor = context.actor.clone();
        let sent = context.engine.cancel(eid, &reason, actor).await;
        report(context, eid, "cancel", sent).await
    }
}

impl Run for Terminate {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let Reasoned { named, reason } = self.reasoned;
        let eid = named.eid(context).await?;
        let actor = context.actor.clone();
        let sent = context.engine.terminate(eid, &reason, actor).await;
        report(context, eid, "terminate", sent).await
    }
}

impl Run for Pause {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let Reasoned { named, reason } = self.reasoned;
        let eid = named.eid(context).await?;
        let actor = context.actor.clone();
        let sent = context.engine.pause(eid, &reason, actor).await;
        report(context, eid, "pause", sent).await
    }
}

impl Run for Resume {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let eid = self.named.eid(context).await?;
        let actor = context.actor.clone();
        let sent = match self.budget {
            Some(budget) => context.engine.resume_with_budget(eid, budget, actor).await,
            None => context.engine.resume(eid, actor).await,
        };
        report(context, eid, "resume", sent).await
    }
}

/// Reports a request. It is durable when the engine has returned; a worker carries it out.
async fn report<T>(
    context: &CommandContext,
    eid: ExecutionId,
    request: &str,
    sent: Result<T, EngineError>,
) -> Result<Exit, Error> {
    if let Err(error) = sent {
        return Err(with_near(context, error).await);
    }
    if context.streams.json() {
        let report = json!({"eid": eid, "asked": request});
        context.streams.document(&report)?;
    } else {
        context.streams.note(format!(
            "{request} requested: a worker carries it out: eid={eid}"
        ));
    }
    Ok(Exit::Done)
}
