//! `worker`: runs executions.

use millpond::client::Notice;

use super::command::Run;
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::needs::Needs;
use super::serve::{Serving, serve};

/// Run executions until interrupted
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    serving: Serving,
}

impl Run for Args {
    const NEEDS: Needs = Needs::WORKER;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        serve(self.serving, context, None, Notice::new(), async {}).await
    }
}
