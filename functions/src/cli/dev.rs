//! `dev`: runs every role in one process, and prints a line for each change of an execution.

use std::sync::Arc;
use std::time::Duration;

use millpond::client::{Notice, WorkerEvent};
use tokio::sync::mpsc::unbounded_channel;

use super::command::Run;
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::needs::Needs;
use super::progress::Progress;
use super::serve::{Serving, serve};
use crate::roles::sweeper;

/// The worker finds timers itself; the sweeper is for mail that no run has absorbed.
const PERIOD: Duration = Duration::from_secs(5);

/// Run worker and sweeper in this process, and print each change of an execution
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
            // The receiver is dropped only when the process ends.
            let _ = send.send(event.clone());
        });
        let stop = Notice::new();
        let progress = Progress::new(context.engine.clone(), context.streams.clone());
        let reporting = tokio::spawn(progress.report(events));
        let sweeping = sweeper(&context.engine, PERIOD, &stop);
        let exit = serve(self.serving, context, Some(watch), stop.clone(), sweeping).await?;
        // The channel closed with the worker: the rest of its content is still reported.
        match reporting.await {
            Ok(reported) => reported?,
            Err(error) => context
                .streams
                .note(format!("warning: progress is no longer reported: {error}")),
        }
        Ok(exit)
    }
}
