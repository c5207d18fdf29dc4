//! `watch`: a journal as it grows.

use std::time::Duration;

use millpond::client::EngineError;
use millpond::domain::Status;

use super::desk::Desk;
use super::error::Error;
use super::find::{Named, with_near};
use super::{Exit, entries};

/// Pauses between looks: each is one read request.
const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(2);

/// Follow an execution until it is over
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    named: Named,
    /// From this commit on
    #[arg(long, value_name = "N", default_value_t = 1)]
    from: u64,
}

pub(crate) async fn run(args: Args, desk: &Desk) -> Result<Exit, Error> {
    let eid = args.named.eid(desk).await?;
    let (mut from, mut pause) = (args.from, FIRST);
    loop {
        // The status before the journal: whatever came before the end has then been printed.
        let status = match desk.engine.status(eid).await {
            Ok(status) => status,
            Err(error) => match again(error) {
                Some(error) => return Err(with_near(desk, error).await),
                None => {
                    desk.engine.ports().clock.sleep(LONGEST).await;
                    continue;
                }
            },
        };
        let page = match desk.engine.journal(eid, from, usize::MAX).await {
            Ok(page) => page,
            Err(error) => match again(error) {
                Some(error) => return Err(error.into()),
                None => continue,
            },
        };
        for commit in &page.commits {
            from = commit.commit + 1;
            pause = FIRST;
            if desk.streams.json() {
                desk.streams.record(commit)?;
                continue;
            }
            for line in entries::lines(commit, desk.streams.color()) {
                desk.streams.line(line)?;
            }
        }
        if status.is_terminal() {
            // How it ended stands in its archive.
            return Ok(Exit::of(match status {
                Status::Archived => desk.engine.execution(eid).await?.status,
                status => status,
            }));
        }
        desk.engine.ports().clock.sleep(pause).await;
        pause = (pause * 3 / 2).min(LONGEST);
    }
}

/// The error, unless the store only asks for patience: the port has said so.
fn again(error: EngineError) -> Option<EngineError> {
    match &error {
        EngineError::Bucket(bucket)
        | EngineError::Load(millpond::journal::LoadError::Bucket(bucket))
            if bucket.is_transient() =>
        {
            None
        }
        _ => Some(error),
    }
}
