//! All ports in one hand.

use std::sync::Arc;

use super::{Bucket, Clock, Entropy, Spawner, Wakeups};

/// What an engine is given of the world.
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
