//! `cancel`, `terminate`, `pause`, `resume`: an operator's word.

use serde_json::json;

use super::Exit;
use super::desk::Desk;
use super::error::Error;
use super::find::{Named, with_near};

/// An execution, and why.
#[derive(Debug, clap::Args)]
pub(crate) struct Reasoned {
    #[command(flatten)]
    named: Named,
    /// Why, for the journal
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
}

/// An execution.
#[derive(Debug, clap::Args)]
pub(crate) struct Plain {
    #[command(flatten)]
    named: Named,
}

/// What is said.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Verb {
    Cancel,
    Terminate,
    Pause,
    Resume,
}

impl Verb {
    fn as_str(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::Terminate => "terminate",
            Self::Pause => "pause",
            Self::Resume => "resume",
        }
    }
}

impl From<Plain> for Reasoned {
    fn from(plain: Plain) -> Self {
        Self {
            named: plain.named,
            reason: String::new(),
        }
    }
}

/// Says it. It is durable when this returns; a worker acts on it.
pub(crate) async fn run(verb: Verb, args: Reasoned, desk: &Desk) -> Result<Exit, Error> {
    let eid = args.named.eid(desk).await?;
    let (engine, actor, reason) = (&desk.engine, desk.actor.clone(), &args.reason);
    let said = match verb {
        Verb::Cancel => engine.cancel(eid, reason, actor).await,
        Verb::Terminate => engine.terminate(eid, reason, actor).await,
        Verb::Pause => engine.pause(eid, reason, actor).await,
        Verb::Resume => engine.resume(eid, actor).await,
    };
    if let Err(error) = said {
        return Err(with_near(desk, error).await);
    }
    if desk.streams.json() {
        desk.streams
            .document(&json!({"eid": eid, "asked": verb.as_str()}))?;
    } else {
        desk.streams
            .note(format!("asked {eid} to {}", verb.as_str()));
    }
    Ok(Exit::Done)
}
