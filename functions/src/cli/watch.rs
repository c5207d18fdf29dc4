//! `watch`: follows a journal as it grows.

use std::time::Duration;

use millpond::client::EngineError;
use millpond::domain::Status;
use millpond::ports::Backoff;

use super::command::Run;
use super::context::CommandContext;
use super::entries;
use super::error::Error;
use super::exit::Exit;
use super::find::{Named, with_near};
use super::needs::Needs;

/// Pauses between polls: each poll is one read request.
const POLL: Backoff = Backoff::new(Duration::from_millis(50), Duration::from_secs(2));

/// Follow the journal of an execution until the execution ends
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    named: Named,
    /// First commit to print
    #[arg(long, value_name = "N", default_value_t = 1)]
    from: u64,
}

impl Run for Args {
    const NEEDS: Needs = Needs {
        retries: true,
        ..Needs::ONE_SHOT
    };

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let eid = self.named.eid(context).await?;
        let (mut from, mut polls) = (self.from, 0);
        loop {
            // The status is read before the journal, so that everything before the end is printed.
            let status = match context.engine.status(eid).await {
                Ok(status) => status,
                Err(error) => match again(error) {
                    Some(error) => return Err(with_near(context, error).await),
                    None => {
                        context.engine.ports().clock.sleep(POLL.longest()).await;
                        continue;
                    }
                },
            };
            let page = match context.engine.journal(eid, from, usize::MAX).await {
                Ok(page) => page,
                Err(error) => match again(error) {
                    Some(error) => return Err(error.into()),
                    None => continue,
                },
            };
            for commit in &page.commits {
                from = commit.commit + 1;
                polls = 0;
                if context.streams.json() {
                    context.streams.record(commit)?;
                    continue;
                }
                for line in entries::lines(commit, context.streams.color()) {
                    context.streams.line(line)?;
                }
            }
            if status.is_terminal() {
                // The archive contains the outcome.
                return Ok(Exit::of(match status {
                    Status::Archived => context.engine.execution(eid).await?.status,
                    status => status,
                }));
            }
            polls += 1;
            context.engine.ports().clock.sleep(POLL.after(polls)).await;
        }
    }
}

/// The error, unless it is transient: then it has been reported, and the read is repeated.
fn again(error: EngineError) -> Option<EngineError> {
    match &error {
        EngineError::Bucket(bucket)
        | EngineError::Load(millpond::client::LoadError::Bucket(bucket))
            if bucket.is_transient() =>
        {
            None
        }
        _ => Some(error),
    }
}
