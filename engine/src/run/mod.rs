//! One run of one execution (docs/protocol.md, A run).
//!
//! Load (steps 1 to 5), absorb (6), drive and commit (7 to 11), dispatch, delete, list again (12,
//! 13). The engine's safety rests on the order of these steps, which `conductor.rs` names:
//!
//! - **I1, I2** Everything that a workflow has observed is committed before its next attempt
//!   begins, and a commit is a compare-and-swap: a stale run is refused and then writes nothing
//!   more.
//! - **I4, I6** Causes (mail, timers) are deleted only after the commit that contains what
//!   followed from them is dispatched. A crash at any point leaves a cause or a lease.
//! - **\[R\] A1** While a lease is set, no timer is deleted.
//!
//! A run consists of a committer (journal, lease, outbox), an inbox (what is listed, read and
//! absorbed), attempts (what runs) and a program (the driver of the workflow). Each step is a method
//! of the part that holds its data.
//!
//! Price: first run 2 P + 2 G; N sequential steps N + 5 P and 2 G from start to end.

mod absorbed;
mod attempts;
mod batch;
mod begin;
mod budget;
mod close;
mod commit;
mod committer;
mod conductor;
mod continuation;
mod dispatching;
mod ended;
mod finish;
mod halt;
mod history;
mod inbox;
mod lease;
mod listing;
mod live;
mod load;
mod program;
mod reopened;
mod replay;
mod retried;
mod retry;
mod seed;
mod state;
mod view;

pub(crate) use conductor::run;
pub(crate) use dispatching::dispatch_outbox;
pub use ended::{Causes, Ended, RunError};
pub(crate) use inbox::large;
pub(crate) use program::Delivery;
#[cfg(any(test, feature = "simulation"))]
pub(crate) use state::check_load;
pub(crate) use view::{Batch, View};
pub use view::{Query, ShownState};

use crate::process::Notice;

/// How a run is asked to stop.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    /// Start no new attempt; end when the running ones have ended. The remaining work is mailed
    /// to the execution itself.
    pub gently: Notice,
    /// End at once: running attempts are aborted and will count as lost.
    pub now: Notice,
}
