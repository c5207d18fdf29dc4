//! `worker`: runs executions.

use millpond::client::Notice;

use super::Exit;
use super::desk::Desk;
use super::error::Error;
use super::serve::{Serving, serve};

/// Run executions until interrupted
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    serving: Serving,
}

pub(crate) async fn run(args: Args, desk: &Desk) -> Result<Exit, Error> {
    serve(args.serving, desk, None, Notice::new(), async {}).await
}
