//! One run of a worker.

use std::sync::Arc;

use futures::channel::mpsc;

use crate::domain::ExecutionId;
use crate::keys::Key;
use crate::process::Core;
use crate::run::{self, Causes, Ended, RunError, Stop};

/// A run that a worker begins.
pub(super) struct Job {
    pub(super) eid: ExecutionId,
    pub(super) causes: Causes,
    /// The number of the poll that found it.
    pub(super) poll: u64,
}

/// A run that has ended.
pub(super) struct Finished {
    pub(super) eid: ExecutionId,
    pub(super) ended: Result<Ended, RunError>,
    /// Mail that the run has absorbed and deleted.
    pub(super) served: Vec<Key>,
    /// Whether another process had done the work, or does it.
    pub(super) wasted: bool,
    /// As in [`Job`].
    pub(super) poll: u64,
}

/// Runs `job`, and reports its end to `done`.
pub(super) async fn perform(
    core: Arc<Core>,
    job: Job,
    stop: Stop,
    done: mpsc::UnboundedSender<Finished>,
) {
    let Job { eid, causes, poll } = job;
    let mut served = Vec::new();
    let by_mail = !causes.mail.is_empty();
    let ended = run::run(core, eid, causes, stop, &mut served).await;
    let wasted = match &ended {
        Ok(Ended::Held(_) | Ended::Lost | Ended::Stale) => true,
        Ok(Ended::Terminal(_)) => by_mail && served.is_empty(),
        _ => false,
    };
    // The receiver is gone if the worker was abandoned.
    let _ = done.unbounded_send(Finished {
        eid,
        ended,
        served,
        wasted,
        poll,
    });
}
