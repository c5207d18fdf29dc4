//! `query`: prints the state that a workflow shows, and what it waits for.

use millpond::client::{AwaitedFrame, FrameKind, Query, ShownState};

use super::command::Run;
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::find::{Named, with_near};
use super::needs::Needs;
use super::text;

/// Print the state that an execution shows, and what it waits for
///
/// Replays the execution with the workflows of this application. Writes nothing, and runs no step.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    named: Named,
    /// End the replay after this journal entry, as `journal` numbers them
    #[arg(long, value_name = "ENTRY")]
    at: Option<u64>,
    /// Print all states, in order
    #[arg(long)]
    states: bool,
    /// First state to print
    #[arg(long, value_name = "N", default_value_t = 0, requires = "states")]
    from: u64,
    /// Maximum number of states
    #[arg(long, value_name = "N", default_value_t = 100, requires = "states")]
    limit: usize,
}

impl Run for Args {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let eid = self.named.eid(context).await?;
        let mut query = match self.states {
            true => Query::page(self.from, self.limit),
            false => Query::newest(),
        };
        if let Some(at) = self.at {
            query = query.at(at);
        }
        let shown = match context.engine.query(eid, &query).await {
            Ok(shown) => shown,
            Err(error) => return Err(with_near(context, error).await),
        };
        let streams = &context.streams;
        if streams.json() {
            streams.document(&shown)?;
            return Ok(Exit::Done);
        }
        if shown.states.is_empty() {
            streams.note("the workflow has shown no state by then");
        }
        for state in &shown.states {
            streams.line(title(state))?;
            streams.value(&state.value)?;
        }
        if let Some(next) = shown.next {
            streams.note(format!("more states follow: use --from {next}"));
            return Ok(Exit::Done);
        }
        for frame in &shown.awaited {
            streams.line(awaited(frame))?;
        }
        Ok(Exit::Done)
    }
}

/// `state 3  entry 17  2026-01-01 00:00:00.000Z`
fn title(state: &ShownState) -> String {
    let at = text::instant(state.at);
    format!("state {}  entry {}  {at}", state.number, state.entry)
}

/// `waits  root/receive#0  for a message on approvals until 2026-01-01 00:00:00.000Z`
fn awaited(frame: &AwaitedFrame) -> String {
    let about = text::line(frame.about.as_deref().unwrap_or_default());
    let mut what = match (frame.kind, frame.child) {
        (FrameKind::Receive, _) => format!("for a message on {about}"),
        (_, Some(child)) => format!("for {about} {child}"),
        (FrameKind::Step, _) => match (frame.attempt, frame.due) {
            (None, _) => "for its first attempt".to_owned(),
            (Some(attempt), None) => format!("for attempt {attempt}"),
            (Some(attempt), Some(_)) => format!("after attempt {attempt}"),
        },
        _ => String::new(),
    };
    if let Some(due) = frame.due {
        let gap = if what.is_empty() { "" } else { " " };
        what.push_str(&format!("{gap}until {}", text::instant(due)));
    }
    format!("waits  {}  {what}", frame.fid)
}
