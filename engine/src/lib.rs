//! Durable workflows whose only server is an object-storage bucket: the engine.
//!
//! - **Authors of workflows** import [`prelude`]: a workflow is an `async fn` of a [`Context`],
//!   marked [`macro@workflow`] or given to [`client::App::workflow`].
//! - **Programs** start, signal and steer executions through a [`client::Engine`].
//! - **Workers** run them: [`client::Worker`], [`client::Sweeper`], [`client::Retention`].
//! - **Tests** use [`testing`]: [`testing::World`] is a whole engine in memory, with manual time.
//! - **Adapters** implement the [`ports`]: storage, clock, randomness, wake-ups, tasks. Nothing
//!   else in here reaches the outside.
//!
//! What is in the bucket, and why nothing is lost, is in `docs/protocol.md` of the repository.
//!
//! ```
//! use millpond::prelude::*;
//! use millpond::client::{App, Start};
//! use millpond_testing::World;
//!
//! async fn hello(name: String) -> Result<String, StepError> {
//!     Ok(format!("hello, {name}"))
//! }
//!
//! #[millpond::workflow]
//! async fn greet(ctx: Context, name: String) -> Result<String, Failed> {
//!     Ok(ctx.call("hello", hello, &name).await?)
//! }
//!
//! let world = World::new(App::new().register::<greet>());
//! let eid = world.start(Start::of::<greet>(&"ana".to_owned())).eid;
//! world.run_all();
//! assert_eq!(world.result(eid), Ok("hello, ana".to_owned()));
//! ```

extern crate self as millpond;

mod archive;
pub mod client;
pub mod domain;
mod feed;
mod journal;
pub mod keys;
mod mailbox;
mod outbox;
pub mod ports;
pub mod prelude;
mod process;
mod replay;
mod retention;
mod run;
pub mod sdk;
pub mod settings;
#[cfg(any(test, feature = "simulation"))]
pub mod simulation;
mod stored;
mod sweeper;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod timers;
mod worker;

pub use domain::{ExecutionId, FrameId, OnClose};
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
