//! `show`: one execution, its frames, what it waits for, what it has cost.

use millpond::client::{EngineError, Execution, Frame, Price};
use serde_json::json;

use super::desk::Desk;
use super::error::Error;
use super::find::{Named, with_near};
use super::{Exit, text, tree};

/// Show one execution: its frames, what it waits for, what it has cost
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    named: Named,
}

pub(crate) async fn run(args: Args, desk: &Desk) -> Result<Exit, Error> {
    let eid = args.named.eid(desk).await?;
    let (execution, frames, price) = match look(desk, eid).await {
        Ok(found) => found,
        Err(error) => return Err(with_near(desk, error).await),
    };
    if desk.streams.json() {
        desk.streams
            .document(&json!({"execution": execution, "frames": frames, "price": price}))?;
        return Ok(Exit::Done);
    }
    let now = desk.engine.ports().clock.now();
    for line in summary(&execution, price, desk.streams.color()) {
        desk.streams.line(line)?;
    }
    desk.streams.line("")?;
    for line in tree::lines(&frames, now, desk.streams.color()) {
        desk.streams.line(line)?;
    }
    Ok(Exit::Done)
}

async fn look(
    desk: &Desk,
    eid: millpond::ExecutionId,
) -> Result<(Execution, Frame, Price), EngineError> {
    let execution = desk.engine.execution(eid).await?;
    let frames = desk.engine.frames(eid).await?;
    let price = desk.engine.price(eid).await?;
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
    let mut say = |name: &str, value: String| lines.push(format!("  {name:<12}{value}"));
    say("eid", record.eid.to_string());
    if let Some(key) = &record.dispatch_key {
        say("key", text::cut(key, 100));
    }
    say("queue", record.queue.to_string());
    let by = &record.created_by.actor;
    say(
        "started",
        format!("{} by {}", text::instant(record.created_at), by.id),
    );
    if let Some(at) = record.start_at {
        say("not before", text::instant(at));
    }
    if let Some(parent) = &record.parent {
        say("parent", format!("{} at {}", parent.eid, parent.fid));
    }
    say("input", text::payload(&record.args));
    say("last", text::instant(execution.at));
    if let Some(lease) = &execution.lease {
        let until = text::instant(lease.until);
        say("lease", format!("{} until {until}", lease.worker));
    }
    if let Some(timer) = execution.timer {
        say("timer", text::instant(timer));
    }
    if execution.crash_count > 0 {
        say("crash_count", execution.crash_count.to_string());
    }
    if let Some(blocked) = &execution.blocked {
        say("blocked", blocked.to_string());
    }
    say(
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
        say("archive", archive.to_string());
    }
    say(
        "price",
        format!(
            "about {} write_requests and {} read_requests requests",
            price.write_requests, price.read_requests
        ),
    );
    lines
}
