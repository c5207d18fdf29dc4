//! The command and its subcommands.

use super::super::command::Launch;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::invocation::Invocation;
use super::{check, draw};

/// Check and draw definitions of graph workflows; no bucket is opened
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
}

// It opens no bucket.
impl Launch for Args {
    async fn launch(self, invocation: Invocation<'_>) -> Result<Exit, Error> {
        let streams = invocation.streams;
        match &self.command {
            Command::Check(args) => check::run(args, streams),
            Command::Schema => {
                streams.bytes(millpond_graph::definition::SCHEMA.as_bytes())?;
                Ok(Exit::Done)
            }
            Command::Draw(args) => draw::run(args, streams),
        }
    }
}
