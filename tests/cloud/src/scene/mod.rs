//! Scenes: the application on the emulated cloud, deployed by its own template, with external
//! clients: uploaders, callers of the API, observers.
//!
//! Durations of hours on AWS are seconds here, by properties of the template: timeouts, visibility,
//! the sweeper's period. Everything else is as deployed.

mod calls;
mod engine;
mod execution;
mod killing;
mod ledger;
mod open;
mod watch;

pub mod archiving;
pub mod inbox;
pub mod invoices;
pub mod latency;
pub mod storm;

pub use calls::Reply;
pub use execution::Execution;
pub use killing::Killing;
pub use ledger::Note;
pub use open::{Scene, Setting};
