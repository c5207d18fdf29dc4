//! `delete`: deletes executions that have ended.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::Timestamp;
use millpond::client::Delete;
use millpond::domain::{Status, Workflow};

use super::bulk::{self, Targets, Verb};
use super::command::Run;
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::needs::Needs;

/// Delete an execution that has ended, with its archive
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The execution: its id, the beginning or end of it, or key:KEY
    #[arg(value_name = "EID", required_unless_present = "status")]
    eid: Option<String>,
    /// Instead of one execution, all that have this status; repeatable
    #[arg(long, value_name = "STATUS", value_parser = status(), conflicts_with_all = ["eid", "fence"])]
    status: Vec<Status>,
    /// Of these, only executions of this workflow
    #[arg(long, value_name = "NAME", requires = "status")]
    workflow: Option<Workflow>,
    /// Only if the execution has no entry after this one
    #[arg(long, value_name = "ENTRY")]
    fence: Option<u64>,
    /// Make its key free at once: the next start with it begins another execution
    #[arg(long)]
    free_key: bool,
}

fn status() -> impl TypedValueParser<Value = Status> {
    let ended = Status::ALL
        .into_iter()
        .filter(|status| status.is_terminal());
    let names: Vec<_> = ended.map(Status::as_str).collect();
    PossibleValuesParser::new(names).map(|name| {
        let found = Status::named(&name);
        found.expect("the parser accepts only these names")
    })
}

impl Run for Args {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let mut how = Delete::new();
        if let Some(entry) = self.fence {
            how = how.fence(entry);
        }
        if self.free_key {
            how = how.free_key();
        }
        let targets = Targets {
            eid: self.eid,
            status: self.status,
            workflow: self.workflow,
        };
        let verb = Verb {
            name: "delete",
            done: "done",
        };
        let ask = |eid, updated_at: Option<Timestamp>| {
            let how = match updated_at {
                Some(at) => how.clone().unchanged_since(at),
                None => how.clone(),
            };
            let deleted = context.engine.delete(eid, how, context.actor.clone());
            async { deleted.await.map(drop) }
        };
        bulk::each(context, targets, &verb, ask).await
    }
}
