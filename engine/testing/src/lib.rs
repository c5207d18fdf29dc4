//! Tests of workflows without a store, a clock or a server.
//!
//! [`World`] is a whole engine in memory whose time a test moves: a workflow that sleeps a month is
//! tested in a millisecond. [`FaultBucket`] injects faults by [`Rule`], [`CountingBucket`] counts
//! requests, [`SeededEntropy`] and [`ManualClock`] replace randomness and time. All of it is
//! deterministic: the same test makes the same requests in the same order.
//!
//! ```
//! use millpond::client::{App, Start};
//! use millpond::prelude::*;
//! use millpond_testing::World;
//!
//! #[millpond::workflow]
//! async fn remind(ctx: Context, days: u64) -> Result<String, Failed> {
//!     ctx.sleep(Duration::from_secs(days * 24 * 60 * 60)).await?;
//!     Ok("now".to_owned())
//! }
//!
//! let world = World::new(App::new().register::<remind>());
//! let eid = world.start(Start::of::<remind>(&30)).eid;
//! world.run_all();
//! world.skip(Duration::from_secs(30 * 24 * 60 * 60));
//! world.run_all();
//! assert_eq!(world.result(eid), Ok("now".to_owned()));
//! ```
//!
//! The code is the `testing` feature of the crate `millpond`: this crate enables it, so that a
//! build without tests does not contain it. Add it to the dev-dependencies.

mod replay;

pub use millpond::ports::{MemoryBucket, Verb};
#[doc(hidden)]
pub use millpond::testing::fuzz;
pub use millpond::testing::{
    CountingBucket, Counts, Delayed, FaultBucket, Injection, ManualClock, Pool, Request, Rule,
    SeededEntropy, World,
};
pub use replay::replay;
