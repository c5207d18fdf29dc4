//! What may be set, and what can be seen.

use std::time::Duration;

/// How far a store is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Requests under way at once. A quarter of them, at least one, may be under way in a
    /// partition that was told to slow down.
    pub under_way: usize,
    /// Longest wait here, before the answer is `Throttled` and the request was not sent.
    pub patience: Duration,
    /// The slowest pace of a partition, in requests a second.
    pub slowest: f64,
    /// By how much a second of successes raises the pace, in requests a second.
    pub gain: f64,
    /// After this time without a refusal a partition has no pace any more.
    pub calm: Duration,
}

impl Default for Limits {
    /// 256 under way; 5 s of patience; no slower than 1 a second, 20 a second faster with each
    /// second; forgotten after a minute.
    fn default() -> Self {
        Self {
            under_way: 256,
            patience: Duration::from_secs(5),
            slowest: 1.0,
            gain: 20.0,
            calm: Duration::from_secs(60),
        }
    }
}

/// How it stands with a throttled bucket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// Requests under way.
    pub under_way: usize,
    /// Requests that wait.
    pub waiting: usize,
    /// Partitions that have a pace.
    pub slowed: usize,
    /// Requests that the store sent away, since the beginning.
    pub slow_downs: u64,
    /// Requests that were not sent since they would have waited too long, since the beginning.
    pub kept_back: u64,
}
