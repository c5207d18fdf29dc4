//! `signal`: sends a message to an execution.

use millpond::client::{EngineError, Frame, FrameKind, FrameStatus, Signal, Signalled};
use millpond::domain::{Channel, ExecutionId};
use serde_json::json;

use super::command::Run;
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::find::{eid, near, with_near};
use super::needs::Needs;
use super::start::parse;

/// Send a message to an execution
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The execution: its id, the beginning or end of it, or key:KEY
    #[arg(value_name = "EID")]
    eid: String,
    /// The channel of the message
    channel: Channel,
    /// The message as JSON [default: null]
    #[arg(value_name = "JSON", allow_hyphen_values = true)]
    value: Option<String>,
    /// Idempotency key: a message with a known key is not delivered again
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
}

impl Run for Args {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let eid = eid(context, &self.eid).await?;
        let mut signal = Signal::on(self.channel.as_str()).actor(context.actor.clone());
        if let Some(value) = &self.value {
            signal = signal.json(parse("message", value)?);
        }
        if let Some(key) = &self.key {
            signal = signal.key(key).confirmed();
        }
        // Read before the message can end the wait.
        let unread = unread(context, eid, &self.channel)
            .await
            .unwrap_or_default();
        let signalled = match context.engine.signal(eid, signal).await {
            Ok(signalled) => signalled,
            Err(error) => return Err(with_near(context, error).await),
        };
        if let Some(warning) = unread {
            context.streams.note(format!("warning: {warning}"));
        }
        if context.streams.json() {
            let fresh = signalled == Signalled::Fresh;
            let report = json!({"eid": eid, "channel": self.channel, "fresh": fresh});
            context.streams.document(&report)?;
        } else if signalled == Signalled::Known {
            context
                .streams
                .note("note: a message with this key had already been delivered");
        }
        Ok(Exit::Done)
    }
}

/// A warning if the execution waits, but only on other channels.
async fn unread(
    context: &CommandContext,
    eid: ExecutionId,
    channel: &Channel,
) -> Result<Option<String>, EngineError> {
    let mut open = Vec::new();
    channels(&context.engine.frames(eid).await?, &mut open);
    open.sort();
    open.dedup();
    if open.is_empty() || open.iter().any(|name| name == channel.as_str()) {
        return Ok(None);
    }
    let meant = near(channel.as_str(), &open);
    let meant = match meant.first() {
        Some(name) => format!("; did you mean {name}?"),
        None => String::new(),
    };
    Ok(Some(format!(
        "the execution does not wait on this channel now{meant}; the message stays in its mailbox: \
         channel={channel}, waiting={}",
        open.join(",")
    )))
}

fn channels(frame: &Frame, open: &mut Vec<String>) {
    if frame.kind == FrameKind::Receive && frame.status == FrameStatus::Waiting {
        open.extend(frame.about.clone());
    }
    frame.frames.iter().for_each(|below| channels(below, open));
}
