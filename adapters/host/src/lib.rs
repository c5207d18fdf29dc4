//! The ports for an ordinary process: its clock, its randomness, and tokio's tasks.

mod clock;
mod entropy;
mod spawner;
mod store_time;
mod workflow_threads;

pub use clock::SystemClock;
pub use entropy::OsEntropy;
pub use spawner::{InProgress, TokioSpawner};
pub use store_time::{StoreClock, StoreTime};
