//! The suite that every bucket must pass before the engine may use it.
//!
//! It checks, under one prefix of the bucket, everything that the port guarantees
//! (docs/protocol.md, What a bucket must give): puts that land once, replaces that lose no update,
//! deletes that stay deleted, lists that return the existing objects in the order of bytes; races
//! included. It never panics: a violation of the contract is returned as a [`Violation`], which
//! names the [`Probe`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use jiff::Timestamp;
//! use millpond_testing::{ManualClock, MemoryBucket};
//! use millpond_conformance::conformance;
//!
//! let clock = Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH));
//! let bucket = Arc::new(MemoryBucket::new(clock));
//! let report = futures::executor::block_on(conformance(bucket, "probe/1/"));
//! assert!(report.is_ok());
//! ```

mod finding;
mod probe;
mod probes;
pub mod processes;
mod subject;
mod suite;

pub use finding::{Finding, Violation};
pub use probe::Probe;
pub use subject::{Scale, Subject};
pub use suite::{Report, conformance};
