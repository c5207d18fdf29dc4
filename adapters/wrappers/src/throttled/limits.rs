//! The settings and the observable state.

use std::time::Duration;

/// The limits of the load on the store.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Maximum number of requests in flight. A quarter of them, at least one, may be in flight in a
    /// partition that received a `SlowDown`.
    pub under_way: usize,
    /// Maximum wait here, after which the reply is `Throttled` and the request was not sent.
    pub patience: Duration,
    /// The minimum pace of a partition, in requests per second.
    pub slowest: f64,
    /// The increase of the pace per second of successes, in requests per second.
    pub gain: f64,
    /// After this time without a refusal, a partition no longer has a pace.
    pub calm: Duration,
}

impl Default for Limits {
    /// 256 in flight; 5 s of patience; a minimum of 1 request per second, increased by 20 per
    /// second with each second; the pace is dropped after a minute.
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

/// The current load of a throttled bucket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// Requests in flight.
    pub under_way: usize,
    /// Waiting requests.
    pub waiting: usize,
    /// Partitions that have a pace.
    pub slowed: usize,
    /// Requests that the store throttled, since the start.
    pub slow_downs: u64,
    /// Requests that were not sent because they would have waited too long, since the start.
    pub kept_back: u64,
}
