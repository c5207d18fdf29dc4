//! How a message is sent to a run.

use millpond::ExecutionId;
use millpond::client::{Signal, Signalled};
use serde_json::json;

use super::super::context::CommandContext;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::find::with_near;

/// Sends a message to a run. It is durable when this returns; a worker carries it out.
///
/// # Errors
/// There is no such execution, or it has ended; the store failed.
pub(super) async fn send(
    context: &CommandContext,
    run: ExecutionId,
    signal: Signal,
    what: &str,
) -> Result<Exit, Error> {
    let signal = signal.confirmed().actor(context.actor.clone());
    let fresh = match context.engine.signal(run, signal).await {
        Ok(signalled) => signalled == Signalled::Fresh,
        Err(error) => return Err(with_near(context, error).await),
    };
    if context.streams.json() {
        let report = json!({"eid": run, "asked": what, "fresh": fresh});
        context.streams.document(&report)?;
    } else if fresh {
        context
            .streams
            .note(format!("{what} sent: a worker carries it out: eid={run}"));
    } else {
        context
            .streams
            .note("note: a decision was sent before; it has precedence");
    }
    Ok(if fresh { Exit::Done } else { Exit::Conflict })
}
