//! What a new run begins with that is restored from a checkpoint of another one.
//!
//! A restore reads the source and changes nothing of it. The new run begins paused, with sequences,
//! supersteps, ids, parents, outcomes and settlements of its own.

mod clean;
mod error;
mod fit;
mod positions;
#[cfg(test)]
mod tests;

pub use clean::copy_clean;
pub use error::RestoreError;
pub use positions::{Lineage, Restore, Saved};
