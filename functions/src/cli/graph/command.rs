//! The command and its subcommands.

use super::super::command::Launch;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::invocation::Invocation;
use super::{check, control, draw, resolve, run, show};

/// Check, draw and run graph workflows
///
/// `check`, `schema` and `draw` without `--run` open no bucket.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Check(check::Args),
    /// Print the JSON Schema of definitions
    Schema,
    Draw(draw::Args),
    Run(run::Args),
    Show(show::Args),
    Resolve(resolve::Args),
    Pause(control::Pause),
    Resume(control::Resume),
    Cancel(control::Cancel),
}

impl Launch for Args {
    async fn launch(self, invocation: Invocation<'_>) -> Result<Exit, Error> {
        let streams = invocation.streams;
        match self.command {
            Command::Check(args) => check::run(&args, streams),
            Command::Schema => {
                streams.bytes(millpond_graph::definition::SCHEMA.as_bytes())?;
                Ok(Exit::Done)
            }
            Command::Draw(args) => args.launch(invocation).await,
            Command::Run(args) => args.launch(invocation).await,
            Command::Show(args) => args.launch(invocation).await,
            Command::Resolve(args) => args.launch(invocation).await,
            Command::Pause(args) => args.launch(invocation).await,
            Command::Resume(args) => args.launch(invocation).await,
            Command::Cancel(args) => args.launch(invocation).await,
        }
    }
}
