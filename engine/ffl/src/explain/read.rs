//! Journal to tree of steps.

use millpond::client::{Engine, EngineError};
use millpond::domain::{Body, Control, Entry, ExecutionId, Payload};

use super::ExplainError;
use crate::run::{Executable, Fault};
use crate::states::{Derivation, Node};
use crate::value::Value;

/// Returns the tree of steps of an execution, with states, values and times: the program runs again
/// on the outcomes in the journal, and nothing is written or called.
///
/// Price: that of [`Engine::execution`] and [`Engine::journal`], and 1 G for each value in a blob.
///
/// # Errors
/// There is no such execution, it runs another program, or its journal cannot be read.
pub async fn explain(
    engine: &Engine,
    eid: ExecutionId,
    program: &Executable,
) -> Result<Node, ExplainError> {
    let record = engine.execution(eid).await?.record;
    if record.version != program.digest() {
        return Err(ExplainError::OtherProgram {
            eid,
            version: record.version,
            program: program.digest().to_owned(),
        });
    }
    let input: serde_json::Value = engine.value(&eid, &record.args).await?.get()?;
    let workflow = record.workflow.to_string();
    let mut run = Derivation::new(program, &workflow, &input, record.created_at);
    for commit in engine.journal(eid, 1, usize::MAX).await?.commits {
        for entry in &commit.entries {
            match entry {
                Entry::FrameCompleted { fid, value } => {
                    let path = path(fid.as_str());
                    let outcome = returns(engine, eid, path, value).await?;
                    run.deliver(path, outcome, commit.at);
                }
                Entry::FrameFailed { fid, failure } => {
                    let path = path(fid.as_str());
                    let fault = Fault::new(&failure.kind, &failure.message, path);
                    run.deliver(path, Err(fault), commit.at);
                }
                Entry::Received {
                    body: Body::Control(Control::Cancel { .. }),
                    ..
                } => run.cancel(commit.at),
                _ => {}
            }
        }
    }
    run.tree().ok_or(ExplainError::NoSteps { eid })
}

async fn returns(
    engine: &Engine,
    eid: ExecutionId,
    path: &str,
    value: &Payload,
) -> Result<Result<Value, Fault>, EngineError> {
    let json: serde_json::Value = engine.value(&eid, value).await?.get()?;
    // What exceeds a limit of values failed its step in the run, too.
    Ok(Value::from_json(&json).map_err(|limit| Fault::new("EvaluationError", limit, path)))
}

/// The path of the step that a frame belongs to.
fn path(fid: &str) -> &str {
    let below = fid.strip_prefix("root/").unwrap_or(fid);
    below.rsplit_once('/').map_or(below, |(step, _)| step)
}
