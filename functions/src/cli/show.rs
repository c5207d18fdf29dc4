//! `show`: prints one execution: its frames, what it waits for, what it has cost.

use std::collections::BTreeMap;

use millpond::client::{
    Descendants, EngineError, Execution, Frame, FrameKind, FrameStatus, Price, Unread,
};
use millpond::domain::{ExecutionId, Status};
use millpond_wrappers::{NanoDollars, Prices};
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
        let shown = match look(context, eid).await {
            Ok(found) => found,
            Err(error) => return Err(with_near(context, error).await),
        };
        let Shown {
            execution,
            frames,
            price,
            tree,
            unread,
        } = &shown;
        if context.streams.json() {
            let tree = json!({
                "executions": tree.executions.len(),
                "price": tree.price,
                "nano_dollars_on_s3_standard": dollars(tree.price),
            });
            context.streams.document(&json!({
                "execution": execution, "frames": frames, "price": price, "tree": tree,
                "unread": unread,
            }))?;
            return Ok(Exit::Done);
        }
        let now = context.engine.ports().clock.now();
        for line in summary(&shown, context.streams.color()) {
            context.streams.line(line)?;
        }
        context.streams.line("")?;
        for line in tree::lines(frames, now, context.streams.color()) {
            context.streams.line(line)?;
        }
        Ok(Exit::Done)
    }
}

/// What is shown of an execution.
struct Shown {
    execution: Execution,
    frames: Frame,
    price: Price,
    tree: Descendants,
    unread: Vec<Unread>,
}

async fn look(context: &CommandContext, eid: ExecutionId) -> Result<Shown, EngineError> {
    let engine = &context.engine;
    let execution = engine.execution(eid).await?;
    let mut frames = engine.frames(eid).await?;
    let tree = engine.descendants(eid).await?;
    pending(&mut frames, &tree.executions);
    Ok(Shown {
        execution,
        frames,
        price: engine.price(eid).await?,
        unread: engine.unread(eid).await?,
        tree,
    })
}

/// Marks the children that have not begun: only their own heads show it.
fn pending(frame: &mut Frame, states: &BTreeMap<ExecutionId, Option<Status>>) {
    if let (FrameKind::Child, FrameStatus::Running | FrameStatus::Waiting, Some(child)) =
        (frame.kind, frame.status, frame.child)
        && matches!(states.get(&child), Some(None | Some(Status::Pending)))
    {
        frame.status = FrameStatus::Pending;
    }
    let below = frame.frames.iter_mut();
    below.for_each(|frame| pending(frame, states));
}

/// The cost on S3 Standard.
fn dollars(price: Price) -> NanoDollars {
    let list = Prices::s3_standard();
    list.write.times(price.write_requests) + list.read.times(price.read_requests)
}

/// `$0.0000308 (6 write requests, 2 read requests)`
fn cost(price: Price) -> String {
    let dollars = dollars(price).to_string();
    let dollars = dollars.trim_end_matches('0').trim_end_matches('.');
    format!(
        "about {dollars} on S3 Standard: {} write requests (PUT, LIST) and {} read requests (GET)",
        price.write_requests, price.read_requests
    )
}

fn summary(shown: &Shown, color: bool) -> Vec<String> {
    let Shown {
        execution,
        price,
        tree,
        unread,
        ..
    } = shown;
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
        format!(
            "{} by {}",
            text::instant(record.created_at),
            text::line(&by.id)
        ),
    );
    if let Some(at) = record.start_at {
        row("not before", text::instant(at));
    }
    if let Some(parent) = &record.parent {
        row("parent", format!("{} at {}", parent.eid, parent.fid));
        let depth = record.depth;
        row("depth", format!("{} of at most {}", depth.level, depth.max));
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
    if execution.generation > 0 {
        row("generation", execution.generation.to_string());
    }
    if execution.crash_count > 0 {
        row("crashes", execution.crash_count.to_string());
    }
    if let Some(blocked) = &execution.blocked {
        row("blocked", text::line(&blocked.to_string()));
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
    } else {
        row(
            "budget",
            format!(
                "{} of {} requests today",
                execution.requests_today, execution.budget
            ),
        );
    }
    row("price", cost(*price));
    if tree.executions.len() > 1 {
        let count = tree.executions.len();
        row("tree", format!("{count} executions, {}", cost(tree.price)));
    }
    for message in unread {
        let place = match message.absorbed {
            true => "",
            false => ", in the mailbox",
        };
        row(
            "unread",
            format!(
                "on {}: {}  from {} at {}{place}",
                message.channel,
                text::payload(&message.payload),
                text::cut(&message.from.actor.id, 60),
                text::instant(message.sent_at)
            ),
        );
    }
    lines
}
