//! A wrapper that lets requests fail by script.

mod bucket;
mod rule;

pub use bucket::FaultBucket;
pub use rule::{Fate, Rule};
