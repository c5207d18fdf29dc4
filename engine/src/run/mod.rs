//! One run of one execution (docs/protocol.md, A run).
//!
//! Load (steps 1 to 5), absorb (6), drive and commit (7 to 11), dispatch, delete, list again (12,
//! 13). The engine's safety rests on the order of these steps:
//!
//! - **I1, I2** Everything that a workflow has observed is committed before its next attempt
//!   begins, and a commit is a compare-and-swap: a stale run is refused and then writes nothing
//!   more.
//! - **I4, I6** Causes (mail, timers) are deleted only after the commit that contains what
//!   followed from them is dispatched. A crash at any point leaves a cause or a lease.
//! - **\[R\] A1** While a lease is set, no timer is deleted.
//!
//! Price: first run 2 P + 2 G; N sequential steps N + 5 P and 2 G from start to end.

mod absorb;
mod activation;
mod attempts;
mod begin;
mod close;
mod commit;
mod dispatching;
mod ended;
mod finish;
mod live;
mod load;
mod pass;
mod replayed;

pub use ended::{Causes, Ended, RunError};

use std::sync::Arc;

use tracing::{Instrument as _, field};

use crate::domain::ExecutionId;
use crate::journal::CommitError;
use crate::keys::Key;
use crate::process::{Core, Notice};

/// Maximum number of passes in one run; the next hint continues the work.
const PASSES: u32 = 16;

/// Runs `eid` for as long as it has work. At most one run of an execution at a time in a process.
///
/// `served` receives the keys of the mail that was absorbed and deleted: hints about it are
/// obsolete. `stop` hands the execution over: no new attempt begins, and running attempts may end
/// until [`Stop::now`] is set.
///
/// # Errors
/// [`RunError`]: the store failed, or an object cannot be read. The causes remain; run it again.
pub(crate) async fn run(
    core: Arc<Core>,
    eid: ExecutionId,
    causes: Causes,
    stop: Stop,
    served: &mut Vec<Key>,
) -> Result<Ended, RunError> {
    // Every log record from here on, including those of workflow code, names the execution.
    let span = tracing::info_span!("run", %eid, epoch = field::Empty);
    passes(core, eid, causes, stop, served)
        .instrument(span)
        .await
}

async fn passes(
    core: Arc<Core>,
    eid: ExecutionId,
    mut causes: Causes,
    stop: Stop,
    served: &mut Vec<Key>,
) -> Result<Ended, RunError> {
    let mut ended = Ended::Again;
    core.counter.run();
    for _ in 0..PASSES {
        ended = match load::load(&core, eid, &causes).await? {
            load::Loaded::Ready(ready) => {
                let kept = ready.kept;
                match pass::pass(Arc::clone(&core), *ready, &causes, &stop, served).await {
                    // The kept head was replaced meanwhile: repeat, with a read.
                    Err(RunError::Commit(CommitError::Lost { .. })) if kept => {
                        core.counter.conflict();
                        continue;
                    }
                    // The pass is dropped with its memory, and nothing more is written.
                    Err(RunError::Commit(CommitError::Lost { .. })) => {
                        core.counter.conflict();
                        Ended::Lost
                    }
                    other => other?,
                }
            }
            load::Loaded::Ended(ended) => ended,
        };
        if !matches!(ended, Ended::Again) {
            return Ok(ended);
        }
        causes.deliveries = 0; // a pass that asks for another one made progress
        causes.possible_duplicate = false; // and has deleted the mail it was given
    }
    Ok(ended)
}

/// How a run is asked to stop.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    /// Start no new attempt; end when the running ones have ended. The remaining work is mailed
    /// to the execution itself.
    pub gently: Notice,
    /// End at once: running attempts are aborted and will count as lost.
    pub now: Notice,
}
