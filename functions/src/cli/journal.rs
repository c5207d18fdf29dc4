//! `journal`: what an execution has observed and decided.

use super::desk::Desk;
use super::error::Error;
use super::find::{Named, with_near};
use super::{Exit, entries};

/// Print an execution's journal
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    named: Named,
    /// From this commit on
    #[arg(long, value_name = "N", default_value_t = 1)]
    from: u64,
    /// At most so many commits
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    limit: usize,
}

pub(crate) async fn run(args: Args, desk: &Desk) -> Result<Exit, Error> {
    let eid = args.named.eid(desk).await?;
    let page = match desk.engine.journal(eid, args.from, args.limit).await {
        Ok(page) => page,
        Err(error) => return Err(with_near(desk, error).await),
    };
    if desk.streams.json() {
        desk.streams.document(&page)?;
        return Ok(Exit::Done);
    }
    for commit in &page.commits {
        for line in entries::lines(commit, desk.streams.color()) {
            desk.streams.line(line)?;
        }
    }
    if let Some(next) = page.next {
        desk.streams.note(format!("more: --from {next}"));
    }
    Ok(Exit::Done)
}
