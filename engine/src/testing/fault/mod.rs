//! A wrapper that lets requests fail, by script and by seed.

mod bucket;
mod fate;
mod rule;

pub use bucket::FaultBucket;
pub use fate::Fate;
pub use rule::Rule;
