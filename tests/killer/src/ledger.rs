//! The external effects of steps: one line for each attempt, written as its first action, so that a
//! crash cannot lose a recorded effect.

use std::sync::OnceLock;
use std::time::Duration;

use millpond::client::Engine;
use millpond::domain::{Began, Entry, ExecutionId, FrameId};
use millpond::prelude::*;
use serde::{Deserialize, Serialize};

use crate::lines;
use crate::place::Place;

/// One attempt's effect.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) eid: ExecutionId,
    pub(crate) fid: FrameId,
    pub(crate) attempt: u32,
    pub(crate) key: String,
    pub(crate) pid: u32,
    pub(crate) at: Timestamp,
    /// The violation at that time: the start of the attempt was not committed.
    pub(crate) wrong: Option<String>,
}

/// An engine on the bucket that is independent of the worker's own.
static OUTSIDE: OnceLock<(Place, Engine)> = OnceLock::new();

/// Opens this process's ledger. Needs a tokio runtime.
fn outside() -> Result<&'static (Place, Engine), StepError> {
    if let Some(open) = OUTSIDE.get() {
        return Ok(open);
    }
    let trouble = |error: crate::Trouble| StepError::new("Ledger", error.to_string());
    let place = Place::of_process().map_err(trouble)?;
    let engine = place.engine(Duration::from_secs(1)).map_err(trouble)?;
    Ok(OUTSIDE.get_or_init(|| (place, engine)))
}

/// Records the effect of an attempt. **I1** its start is in the journal by now.
pub(crate) async fn effect(attempt: &Attempt) -> Result<(), StepError> {
    let (place, engine) = outside()?;
    let line = Line {
        eid: attempt.eid(),
        fid: attempt.fid().clone(),
        attempt: attempt.number(),
        key: attempt.idempotency_key().to_owned(),
        pid: std::process::id(),
        at: Timestamp::now(),
        wrong: untold(engine, attempt).await,
    };
    lines::append(&place.ledger(), &line)?;
    Ok(())
}

async fn untold(engine: &Engine, attempt: &Attempt) -> Option<String> {
    let page = match engine.journal(attempt.eid(), 1, usize::MAX).await {
        Ok(page) => page,
        Err(error) => return Some(millpond::client::chain(&error)),
    };
    let mut entries = page.commits.iter().flat_map(|commit| &commit.entries);
    let recorded = entries.any(|entry| {
        matches!(entry, Entry::FrameStarted { fid, began: Began::Step { attempt: number, .. } }
            if fid == attempt.fid() && *number == attempt.number())
    });
    (!recorded).then(|| "its start is not in the journal".to_owned())
}
