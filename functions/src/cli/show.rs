//! `show`: prints one execution: its frames, what it waits for, what it has cost.

use millpond::client::{EngineError, Execution, Frame, Price};
use serde_json::json;

use super::command::Run;
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::find::{Named, with_near};
use super::needs::Needs;
use super::{text, tree};

/// Show one execution: its frames, what it waits for, what it has cost
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    named: Named,
}

impl Run for Args {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let eid = self.named.eid(context).await?;
        let (execution, frames, price) = match look(context, eid).await {
            Ok(found) => found,
            Err(error) => return Err(with_near(context, error).await),
        };
        if context.streams.json() {
            context
                .streams
                .document(&json!({"execution": execution, "frames": frames, "price": price}))?;
            return Ok(Exit::Done);
        }
        let now = context.engine.ports().clock.now();
        for line in summary(&execution, price, context.streams.color()) {
            context.streams.line(line)?;
        }
        context.streams.line("")?;
        for line in tree::lines(&frames, now, context.streams.color()) {
            context.streams.line(line)?;
        }
        Ok(Exit::Done)
    }
}

async fn look(
    context: &CommandContext,
    eid: millpond::ExecutionId,
) -> Result<(Execution, Frame, Price), EngineError> {
    let execution = context.engine.execution(eid).await?;
    let frames = context.engine.frames(eid).await?;
    let price = context.engine.price(eid).await?;
    Ok((execution, frames, price))
}

fn summary(execution: &Execution, price: Price, color: bool) -> Vec<String> {
    let record = &execution.record;
    let mut lines = vec![format!(
        "{}@{}  {}",
        record.workflow,
        record.version,
        text::status(execution.status, color)
    )];
    let mut row = |name: &str, value: String| lines.push(format!("  {name:<12}{value}"));
    row("eid", record.eid.to_string());
    if let Some(key) = &record.dispatch_key {
        row("key", text::cut(key, 100));
    }
    row("queue", record.queue.to_string());
    let by = &record.created_by.actor;
    row(
        "started",
        format!("{} by {}", text::instant(record.created_at), by.id),
    );
    if let Some(at) = record.start_at {
        row("not before", text::instant(at));
    }
    if let Some(parent) = &record.parent {
        row("parent", format!("{} at {}", parent.eid, parent.fid));
    }
    row("input", text::payload(&record.args));
    row("updated", text::instant(execution.at));
    if let Some(lease) = &execution.lease {
        let until = text::instant(lease.until);
        row("lease", format!("{} until {until}", lease.worker));
    }
    if let Some(timer) = execution.timer {
        row("timer", text::instant(timer));
    }
    if execution.crash_count > 0 {
        row("crashes", execution.crash_count.to_string());
    }
    if let Some(blocked) = &execution.blocked {
        row("blocked", blocked.to_string());
    }
    row(
        "journal",
        format!(
            "{} commits, {} entries, {} (head {}, segments {})",
            execution.commit,
            execution.entries,
            text::size(execution.journal_bytes),
            text::size(execution.head_bytes),
            execution.segments
        ),
    );
    if let Some(archive) = &execution.archive {
        row("archive", archive.to_string());
    }
    row(
        "price",
        format!(
            "about {} write requests (PUT, LIST) and {} read requests (GET)",
            price.write_requests, price.read_requests
        ),
    );
    lines
}
