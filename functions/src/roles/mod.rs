//! The roles of a process, for its lifetime or for one event: plain async functions over an engine.

mod api;
#[cfg(feature = "lambda")]
mod batch;
#[cfg(feature = "lambda")]
mod hints;
mod idle;
mod retention;
#[cfg(feature = "lambda")]
mod seen;
mod starter;
mod sweep;
mod sweeper;
#[cfg(all(test, feature = "lambda"))]
mod tests;
mod time;
mod worker;

pub use api::{Response, api};
#[cfg(feature = "lambda")]
pub use batch::{Batch, Served, batch};
#[cfg(feature = "lambda")]
pub use hints::{Deliveries, Delivery, Root};
pub use idle::{Idle, until_idle};
pub use retention::retention;
#[cfg(feature = "lambda")]
pub use seen::Seen;
pub use starter::{
    Answer, FailedRecords, Fetched, Objects, ObjectsError, Outcome, Record, Report, Starter,
    starter,
};
pub use sweep::{Cursor, SweepError, sweep};
pub use sweeper::sweeper;
pub use time::Deadline;
pub use worker::worker;
