//! An execution explained: its journal and its program give the tree of steps.

mod error;
mod read;

pub use error::ExplainError;
pub use read::explain;
