//! The setup of the benches: an engine with a worker, on each bucket, and its workflows.

mod stage;
mod workflows;

pub use millpond_sqlite::Durability;
pub use stage::{Stage, Store, open, open_url};
pub use workflows::app;
