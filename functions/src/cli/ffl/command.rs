//! The command and its subcommands.

use super::super::command::Launch;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::invocation::Invocation;
use super::{check, compile, fmt};

/// Check, compile and format workflows written in FFL
///
/// A PATH is a file, a folder whose `.ffl` files are read, or `-` for standard input. Without a
/// PATH, standard input is read. No bucket is opened.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Check(check::Args),
    Compile(compile::Args),
    Fmt(fmt::Args),
}

// It opens no bucket.
impl Launch for Args {
    async fn launch(self, invocation: Invocation<'_>) -> Result<Exit, Error> {
        let streams = invocation.streams;
        match &self.command {
            Command::Check(args) => check::run(args, streams),
            Command::Compile(args) => compile::run(args, streams),
            Command::Fmt(args) => fmt::run(args, streams),
        }
    }
}
