//! The command and its subcommands.

use super::super::command::Run;
use super::super::context::CommandContext;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::needs::Needs;
use super::{cat, export, ls};

/// Inspect the objects of the bucket by key
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Ls(ls::Args),
    Cat(cat::Args),
    Export(export::Args),
}

impl Run for Args {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        match self.command {
            Command::Ls(args) => ls::run(args, context).await,
            Command::Cat(args) => cat::run(args, context).await,
            Command::Export(args) => export::run(args, context).await,
        }
    }
}
