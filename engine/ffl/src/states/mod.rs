//! The states of steps and blocks.

mod state;

pub use state::{ObjectType, State};
