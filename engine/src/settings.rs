//! What may be tuned, with defaults that work.

use std::time::Duration;

/// Bounds and periods of an engine. Plain data; each field says what it costs.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long a lease lasts without renewal. A vanished worker's execution stands
    /// still for so long; each third of it a long step costs two write requests.
    pub ttl: Duration,
    /// The first renewal after this puts one feed object, so that long runs become visible.
    pub feed_after: Duration,
    /// A retry due sooner is waited for in place (no request); a later one suspends.
    pub in_place: Duration,
    /// Longest time one activation of workflow code may take between two waits.
    pub watchdog: Duration,
    /// Leases without a new outcome before an execution is parked.
    pub max_crashes: u32,
    /// Deliveries of one cause without effect before a run acquires first.
    pub max_deliveries: u32,
    /// A larger value becomes a blob (one more write request), in bytes.
    pub inline: usize,
    /// A larger input becomes a blob, in bytes: it stands in the head for ever.
    pub inline_args: usize,
    /// A larger value is refused, in bytes.
    pub max_value: usize,
    /// The tail is sealed into a segment when it would pass this, in bytes.
    pub tail: usize,
    /// Segments are merged until they reach this, in bytes.
    pub segment: usize,
    /// Effects of one execution that may be undispatched at once.
    pub window: usize,
    /// Most entries of one execution.
    pub max_entries: u64,
    /// Most bytes of journal of one execution.
    pub max_journal: u64,
    /// Bucket requests of one execution under way at once.
    pub concurrency: usize,
    /// Heads that are kept after a run, for the next one of the same execution, in bytes: each
    /// found here saves a read. Worth it where the same worker is likely to run it. None: 0.
    pub sticky: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            ttl: Duration::from_secs(30),
            feed_after: Duration::from_secs(2),
            in_place: Duration::from_secs(2),
            watchdog: Duration::from_secs(10),
            max_crashes: 5,
            max_deliveries: 3,
            inline: 32 << 10,
            inline_args: 16 << 10,
            max_value: 16 << 20,
            tail: 64 << 10,
            segment: 256 << 10,
            window: 64,
            max_entries: 50_000,
            max_journal: 32 << 20,
            concurrency: 16,
            sticky: 0,
        }
    }
}
