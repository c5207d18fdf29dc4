//! A wrapper that injects faults into requests, by script and by seed.

mod bucket;
mod injection;
mod rule;

pub use bucket::FaultBucket;
pub use injection::Injection;
pub use rule::Rule;
