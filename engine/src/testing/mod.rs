//! The ports for tests: storage in memory, time that a test moves, randomness from a seed,
//! tasks on one thread, and wrappers that count requests or let them fail by script.
//!
//! All of it is deterministic: the same test makes the same requests in the same order. With
//! [`Pool::run_until`] a workflow that sleeps a month is tested in a millisecond.

mod clock;
mod counting;
mod delayed;
mod entropy;
mod fault;
#[doc(hidden)]
pub mod fuzz;
#[cfg(test)]
mod mirror;
mod pool;
#[cfg(test)]
mod tests;
mod verb;
mod world;

pub use crate::ports::MemoryBucket;
pub use clock::ManualClock;
pub use counting::{CountingBucket, Counts, Request};
pub use delayed::Delayed;
pub use entropy::SeededEntropy;
pub use fault::{FaultBucket, Injection, Rule};
#[cfg(test)]
pub(crate) use mirror::Mirror;
pub use pool::Pool;
pub use verb::Verb;
pub use world::World;
