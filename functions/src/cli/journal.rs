//! `journal`: prints what an execution has observed and decided.

use super::command::Run;
use super::context::CommandContext;
use super::entries;
use super::error::Error;
use super::exit::Exit;
use super::find::{Named, with_near};
use super::needs::Needs;

/// Print an execution's journal
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    named: Named,
    /// First commit to print
    #[arg(long, value_name = "N", default_value_t = 1)]
    from: u64,
    /// Maximum number of commits
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    limit: usize,
}

impl Run for Args {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let eid = self.named.eid(context).await?;
        let page = match context.engine.journal(eid, self.from, self.limit).await {
            Ok(page) => page,
            Err(error) => return Err(with_near(context, error).await),
        };
        if context.streams.json() {
            context.streams.document(&page)?;
            return Ok(Exit::Done);
        }
        for commit in &page.commits {
            for line in entries::lines(commit, context.streams.color()) {
                context.streams.line(line)?;
            }
        }
        if let Some(next) = page.next {
            context
                .streams
                .note(format!("more commits follow: use --from {next}"));
        }
        Ok(Exit::Done)
    }
}
