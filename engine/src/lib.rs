//! Durable workflows whose only server is a bucket: the engine.

extern crate self as millpond;

pub mod domain;
pub mod doors;
pub mod keys;
pub mod prelude;
#[allow(
    dead_code,
    unused_imports,
    reason = "nothing but its tests runs it so far"
)]
mod replay;
#[allow(
    dead_code,
    unused_imports,
    reason = "nothing but its tests runs it so far"
)]
pub mod sdk;

pub use domain::{Eid, Fid, OnClose};
pub use sdk::{
    Attempt, Child, Context, Failed, FrameError, Receive, ReceiveTimeout, Retry, Sleep, Spawn,
    Step, StepError, Workflow,
};

/// Waits for the first of several frames, in the order written when more than one is ready:
/// the biased `select` of `futures`.
///
/// Another crate's unbiased one may take another branch over the same journal.
pub use futures::select_biased as select;
