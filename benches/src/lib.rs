//! The stage of the benches: an engine with a worker, on each bucket, and its workflows.

mod stage;
mod workflows;

pub use stage::{Stage, Store, open};
pub use workflows::app;
