//! Durable workflows whose only server is an object-storage bucket: the engine.

extern crate self as millpond;

pub mod domain;
pub mod doors;
pub mod feed;
pub mod journal;
pub mod keys;
pub mod mailbox;
pub mod prelude;
mod replay;
pub mod runtime;
pub mod sdk;
pub mod settings;
pub mod testing;
pub mod timers;

pub use domain::{Eid, Fid, OnClose};
pub use sdk::{
    Attempt, Child, Context, Failed, FrameError, NamedStep, Receive, ReceiveTimeout, Retry, Sleep,
    Spawn, Step, StepError, Workflow,
};

/// Waits for the first of several frames, in the order written when more than one is ready:
/// the biased `select` of `futures`.
///
/// Another crate's unbiased one may take another branch over the same journal.
pub use futures::select_biased as select;

pub use millpond_macros::{step, workflow};

/// What the macros write about; no part of the interface.
#[doc(hidden)]
pub mod __private {
    pub use futures::future::BoxFuture;
    pub use {schemars, serde};
}
