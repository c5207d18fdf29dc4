//! The set of all ports.

use std::sync::Arc;

use super::{Bucket, Clock, Entropy, Spawner, Wakeups};

/// The ports through which an engine reaches its environment.
#[derive(Debug, Clone)]
pub struct Ports {
    /// Storage.
    pub bucket: Arc<dyn Bucket>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// Hints.
    pub wakeups: Arc<dyn Wakeups>,
    /// Concurrency.
    pub spawner: Arc<dyn Spawner>,
}
