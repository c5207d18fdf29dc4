//! The command and its subcommands.

use super::super::command::Launch;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::invocation::Invocation;
use super::{check, compile, explain, fmt, graph, run};

/// Check, compile, format, draw and run workflows written in FFL
///
/// A PATH is a file, a folder whose `.ffl` files are read, or `-` for standard input. Without a
/// PATH, standard input is read. Only `run` and `explain` open a bucket.
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
    Graph(graph::Args),
    Run(run::Args),
    Explain(explain::Args),
}

// Most of them open no bucket.
impl Launch for Args {
    async fn launch(self, invocation: Invocation<'_>) -> Result<Exit, Error> {
        let streams = invocation.streams;
        match &self.command {
            Command::Check(args) => check::run(args, streams),
            Command::Compile(args) => compile::run(args, streams),
            Command::Fmt(args) => fmt::run(args, streams),
            Command::Graph(args) => graph::run(args, streams),
            Command::Run(args) => Box::pin(run::run(args, invocation)).await,
            Command::Explain(args) => Box::pin(explain::run(args, invocation)).await,
        }
    }
}
