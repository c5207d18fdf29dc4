//! `retry`: begins failed or blocked executions again.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use millpond::domain::{FrameId, RetryRequest, Status, Workflow};

use super::bulk::{self, Targets, Verb};
use super::command::Run;
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::needs::Needs;

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
            from: self.from,
            fence: self.fence,
            ..RetryRequest::new().reason(self.reason)
        };
        let targets = Targets {
            eid: self.eid,
            status: self.status,
            workflow: self.workflow,
        };
        let verb = Verb {
            name: "retry",
            done: "requested: a worker carries it out",
        };
        let ask = |eid, _| {
            let (request, actor) = (request.clone(), context.actor.clone());
            context.engine.retry(eid, request, actor)
        };
        bulk::each(context, targets, &verb, ask).await
    }
}
