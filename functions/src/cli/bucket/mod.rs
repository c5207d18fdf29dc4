//! `bucket`: the objects themselves, for who wants to look inside with ordinary tools. Nothing
//! here writes to the bucket.

mod cat;
mod export;
mod ls;

use std::sync::Arc;

use millpond::ports::Bucket;

use super::Exit;
use super::desk::Desk;
use super::error::Error;

/// Look into the bucket: its objects, by their keys
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

/// The bucket as the engine reads it, through the codec, or as it is.
fn source(desk: &Desk, raw: bool) -> &Arc<dyn Bucket> {
    match raw {
        true => &desk.store,
        false => &desk.engine.ports().bucket,
    }
}

pub(crate) async fn run(args: Args, desk: &Desk) -> Result<Exit, Error> {
    match args.command {
        Command::Ls(args) => ls::run(args, desk).await,
        Command::Cat(args) => cat::run(args, desk).await,
        Command::Export(args) => export::run(args, desk).await,
    }
}
