//! `graph pause`, `resume` and `cancel`: messages that control a run.

use std::num::NonZeroU64;

use millpond_graph::definition::NodeId;
use millpond_graph::machine::Bound;
use millpond_graph::run::{ControlMessage, Verb};

use super::super::command::Run;
use super::super::context::CommandContext;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::find::Named;
use super::super::needs::Needs;
use super::send::send;

/// Let what runs come to its end, and begin nothing more
#[derive(Debug, clap::Args)]
pub(super) struct Pause {
    #[command(flatten)]
    named: Named,
}

/// Continue a paused or halted run
#[derive(Debug, clap::Args)]
pub(super) struct Resume {
    #[command(flatten)]
    named: Named,
    /// Pause again after that many supersteps
    #[arg(long, value_name = "N", conflicts_with = "before")]
    supersteps: Option<NonZeroU64>,
    /// Pause again before this node
    #[arg(long, value_name = "NODE")]
    before: Option<NodeId>,
}

/// Stop a run: what waits ends, what works is awaited
#[derive(Debug, clap::Args)]
pub(super) struct Cancel {
    #[command(flatten)]
    named: Named,
    /// Only if this is the sequence of the newest checkpoint
    #[arg(long, value_name = "SEQUENCE")]
    fence: Option<u64>,
}

impl Run for Pause {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        control(context, &self.named, Verb::Pause, "pause").await
    }
}

impl Run for Resume {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let supersteps = self.supersteps.map(Bound::Supersteps);
        let bound = supersteps.or(self.before.map(Bound::Before));
        control(context, &self.named, Verb::Resume { bound }, "resume").await
    }
}

impl Run for Cancel {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let verb = Verb::Cancel { fence: self.fence };
        control(context, &self.named, verb, "cancel").await
    }
}

async fn control(
    context: &CommandContext,
    named: &Named,
    verb: Verb,
    what: &str,
) -> Result<Exit, Error> {
    let run = named.eid(context).await?;
    let id = context.engine.ports().entropy.uuid4().to_string();
    let signal = ControlMessage { id, verb }.signal();
    send(context, run, signal, what).await
}
