//! `dev`: everything in one process, and a line for all that happens.

use std::sync::Arc;
use std::time::Duration;

use millpond::client::{Notice, WorkerEvent};
use tokio::sync::mpsc::unbounded_channel;

use super::command::{Needs, Run};
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
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

impl Run for Args {
    const NEEDS: Needs = Needs::WORKER;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let (send, events) = unbounded_channel();
        let watch = Arc::new(move |event: &WorkerEvent| {
            // Nobody reads on only when the process ends.
            let _ = send.send(event.clone());
        });
        let stop = Notice::new();
        let progress = Progress::new(context.engine.clone(), context.streams.clone());
        let telling = tokio::spawn(progress.tell(events));
        let sweeping = sweeper(&context.engine, PERIOD, &stop);
        let exit = serve(self.serving, context, Some(watch), stop.clone(), sweeping).await?;
        // The channel closed with the worker: what it holds is still told.
        match telling.await {
            Ok(told) => told?,
            Err(error) => context.streams.note(format!("progress stopped: {error}")),
        }
        Ok(exit)
    }
}
