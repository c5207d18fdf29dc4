//! `dev`: everything in one process, and a line for all that happens.

use std::sync::Arc;
use std::time::Duration;

use millpond::client::{Notice, WorkerEvent};
use tokio::sync::mpsc::unbounded_channel;

use super::Exit;
use super::desk::Desk;
use super::error::Error;
use super::progress::Progress;
use super::serve::{Serving, serve};
use crate::roles::sweeper;

/// The worker finds timers by itself; the sweeper is for mail that nobody came for.
const PERIOD: Duration = Duration::from_secs(5);

/// Run everything in this process, and tell what happens
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    serving: Serving,
}

pub(crate) async fn run(args: Args, desk: &Desk) -> Result<Exit, Error> {
    let (send, events) = unbounded_channel();
    let watch = Arc::new(move |event: &WorkerEvent| {
        // Nobody reads on only when the process ends.
        let _ = send.send(event.clone());
    });
    let stop = Notice::new();
    let progress = Progress::new(desk.engine.clone(), desk.streams.clone());
    let telling = tokio::spawn(progress.tell(events));
    let sweeping = sweeper(&desk.engine, PERIOD, &stop);
    let exit = serve(args.serving, desk, Some(watch), stop.clone(), sweeping).await?;
    // The channel closed with the worker: what it holds is still told.
    match telling.await {
        Ok(told) => told?,
        Err(error) => desk.streams.note(format!("progress stopped: {error}")),
    }
    Ok(exit)
}
