//! Scenes: the application on the emulated cloud, deployed by its own template, with the world
//! around it: who uploads, who calls the API, who looks.
//!
//! What is for hours on AWS is for seconds here, by properties of the template: time-outs,
//! visibility, the sweeper's period. Everything else is as it is deployed.

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
