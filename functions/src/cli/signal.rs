//! `signal`: a message to an execution.

use millpond::client::{EngineError, Frame, FrameKind, FrameStatus, Signal};
use millpond::domain::{Channel, ExecutionId};
use serde_json::json;

use super::Exit;
use super::desk::Desk;
use super::error::Error;
use super::find::{eid, near, with_near};
use super::start::parse;

/// Send a message to an execution
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The execution: its id, the beginning or end of it, or key:KEY
    #[arg(value_name = "EID")]
    eid: String,
    /// The channel on which it receives
    channel: Channel,
    /// The message, in JSON [default: null]
    #[arg(value_name = "JSON", allow_hyphen_values = true)]
    value: Option<String>,
    /// One key is delivered once, however often it is sent
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
}

pub(crate) async fn run(args: Args, desk: &Desk) -> Result<Exit, Error> {
    let eid = eid(desk, &args.eid).await?;
    let mut signal = Signal::on(args.channel.as_str()).actor(desk.actor.clone());
    if let Some(value) = &args.value {
        signal = signal.json(parse("message", value)?);
    }
    if let Some(key) = &args.key {
        signal = signal.key(key);
    }
    // Asked for before the message may end the wait.
    let unheard = unheard(desk, eid, &args.channel).await.unwrap_or_default();
    let signalled = match desk.engine.signal(eid, signal).await {
        Ok(signalled) => signalled,
        Err(error) => return Err(with_near(desk, error).await),
    };
    if let Some(warning) = unheard {
        desk.streams.note(format!("warning: {warning}"));
    }
    if desk.streams.json() {
        desk.streams
            .document(&json!({"eid": eid, "channel": args.channel, "fresh": signalled.fresh}))?;
    } else if !signalled.fresh {
        desk.streams.note("note: this key was delivered before");
    }
    Ok(Exit::Done)
}

/// What there is to say when the execution waits, and for other channels.
async fn unheard(
    desk: &Desk,
    eid: ExecutionId,
    channel: &Channel,
) -> Result<Option<String>, EngineError> {
    let mut open = Vec::new();
    channels(&desk.engine.frames(eid).await?, &mut open);
    open.sort();
    open.dedup();
    if open.is_empty() || open.iter().any(|name| name == channel.as_str()) {
        return Ok(None);
    }
    let meant = near(channel.as_str(), &open);
    let meant = match meant.first() {
        Some(name) => format!(" (did you mean {name}?)"),
        None => String::new(),
    };
    Ok(Some(format!(
        "nothing waits on channel {channel} now; open: {}{meant}; the message is kept",
        open.join(", ")
    )))
}

fn channels(frame: &Frame, open: &mut Vec<String>) {
    if frame.kind == FrameKind::Receive && frame.status == FrameStatus::Waiting {
        open.extend(frame.about.clone());
    }
    frame.frames.iter().for_each(|below| channels(below, open));
}
