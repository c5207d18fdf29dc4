//! The ports: the traits through which the engine reaches its environment.
//!
//! All inputs that are not arguments of pure functions enter here: storage ([`Bucket`]), time
//! ([`Clock`]), randomness ([`Entropy`]), wake-ups ([`Wakeups`]) and concurrency ([`Spawner`]).
//! Adapters implement them; tests stack wrappers on them.

mod all;
mod backoff;
mod bucket;
mod clock;
mod doorbell;
mod entropy;
mod memory;
mod requests;
mod spawner;
#[cfg(test)]
mod tests;
mod timed;
mod verb;
mod wakeups;

pub use all::Ports;
pub use backoff::Backoff;
pub use bucket::{Bucket, BucketError, Expect, Fault, Listed, Object, Outcome, Page, Version};
pub use clock::Clock;
pub use doorbell::Doorbell;
pub use entropy::Entropy;
pub use memory::MemoryBucket;
pub use requests::Created;
pub use spawner::{Abort, Spawner};
pub(crate) use timed::TimedBucket;
pub use verb::Verb;
pub use wakeups::{Hint, Wakeups};
