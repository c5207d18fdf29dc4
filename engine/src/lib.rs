//! Durable workflows whose only server is an object-storage bucket: the engine.
//!
//! A workflow is an `async fn`. The engine records the outcome of each step in the bucket and
//! replays the function after each event, so that the workflow survives crashes, waits for months
//! without a process, and resumes on any worker.
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
//!
//! # Where to begin
//!
//! - **Authors of workflows** import [`prelude`], and read the [`guide`]. A workflow is an `async
//!   fn` of a [`Context`], marked [`macro@workflow`] or registered by [`client::App::workflow`].
//! - **Programs** start, signal and control executions through a [`client::Engine`].
//! - **Workers** run them: [`client::Worker`], [`client::Sweeper`], [`client::Retention`]. The
//!   crate `millpond-functions` assembles all of them into one binary with a command line.
//! - **Tests** use `millpond_testing::World`, an engine in memory with simulated time.
//! - **Adapters** implement the [`ports`]: storage, clock, randomness, wake-ups, tasks. Nothing
//!   else in this crate reaches the outside.
//!
//! # Guarantees
//!
//! - **Durability.** What `start` and `signal` have acknowledged is in the bucket, and survives
//!   the end of every process.
//! - **A step runs at least once**, and its outcome is recorded once. A step with a recorded
//!   outcome never runs again. [`Attempt::idempotency_key`] is the same for all attempts of a
//!   step, so that its effect on an external system happens once.
//! - **Messages, timers and children take effect exactly once.** A message that was acknowledged
//!   is received once, or its execution has ended.
//! - **One writer.** Each commit is a compare-and-swap. A worker that has lost its lease is
//!   refused at its next commit, and writes nothing more.
//! - **Progress.** Each execution that has not ended has a lease, mail or a timer in the bucket, or
//!   waits for a message. Code that ends its process again and again is blocked after a few
//!   attempts.
//! - **Cost.** The number of requests of each operation is specified and tested.
//!
//! The protocol behind them is in `docs/protocol.md` of the repository, and the list of prices in
//! `docs/operations.md`.
//!
//! # The determinism contract
//!
//! A workflow must ask for the same frames in each replay. It uses no clock, randomness, I/O,
//! `tokio::spawn`, `tokio::select!` or order of a `HashMap`, but [`Context::now`],
//! [`Context::uuid`], [`Context::random`], steps, children, [`macro@select`] and ordered collections. The
//! [`guide`](guide#the-determinism-contract) lists each of them with its replacement, and a
//! configuration of Clippy that detects them. If a replay does not match the journal, the
//! execution is blocked, and the reason contains the expected and the actual frame.
//!
//! # Features
//!
//! No production build needs a feature.
//!
//! | feature | adds |
//! |---|---|
//! | `testing` | the module `testing`; use it through the crate `millpond-testing` |
//! | `simulation` | the module `simulation`; use it through the crate `millpond-simulation` |

extern crate self as millpond;

mod archive;
pub mod client;
pub mod domain;
mod feed;
#[doc = include_str!("../../docs/guide.md")]
pub mod guide {}
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
    Attempt, Child, Context, Failed, FrameError, Map, NamedStep, Receive, ReceiveTimeout, Retry,
    Saga, Sleep, Spawn, State, Step, StepError, Workflow,
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
