//! The ports for tests: storage in memory, a manual clock, randomness from a seed, tasks on one
//! thread, and wrappers that count requests or inject faults by script.
//!
//! All of them are deterministic: the same test makes the same requests in the same order. With
//! [`Pool::run_until`] a workflow that sleeps for a month is tested in a millisecond.

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
mod world;

pub use crate::ports::{MemoryBucket, Verb};
pub use clock::ManualClock;
pub use counting::{CountingBucket, Counts, Request};
pub use delayed::Delayed;
pub use entropy::SeededEntropy;
pub use fault::{FaultBucket, Injection, Rule};
#[cfg(test)]
pub(crate) use mirror::Mirror;
pub use pool::Pool;
pub use world::World;
