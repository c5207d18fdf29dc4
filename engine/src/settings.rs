//! Settings with defaults that suit most deployments.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::domain::{Depth, Queue};

/// Bounds and periods of an engine. Plain data; each field documents its cost.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The duration of a lease without renewal. The execution of a vanished worker makes no
    /// progress for this long; each third of it costs a long step two write requests.
    pub ttl: Duration,
    /// The first renewal after this writes one feed object, so that long runs become visible.
    pub feed_after: Duration,
    /// A retry that is due sooner is awaited in place (no request); a later one suspends.
    pub in_place: Duration,
    /// The maximum time of one activation of workflow code between two waits.
    pub watchdog: Duration,
    /// The number of leases without a new outcome after which an execution is parked.
    pub max_crashes: u32,
    /// The number of deliveries of one cause without effect after which a run acquires first.
    pub max_deliveries: u32,
    /// The size in bytes above which a value becomes a blob (one more write request).
    pub inline: usize,
    /// The size in bytes above which an input becomes a blob: the head stores inline inputs
    /// permanently.
    pub inline_args: usize,
    /// The size in bytes above which a value is rejected.
    pub max_value: usize,
    /// The size in bytes above which the tail is sealed into a segment.
    pub tail: usize,
    /// The size in bytes up to which segments are merged.
    pub segment: usize,
    /// The maximum number of undispatched effects of one execution.
    pub window: usize,
    /// The number of messages that one listing of a mailbox returns, at least 2. A run holds at most
    /// these in memory.
    pub mailbox_page: usize,
    /// The number of messages that a run absorbs before it commits and lists the mailbox again.
    pub mailbox_batch: usize,
    /// The size in bytes of their values.
    pub mailbox_batch_bytes: usize,
    /// The number of unread messages above which an execution takes no more, unless it waits for one:
    /// they stay in its mailbox.
    pub max_unread: usize,
    /// The number of unread messages above which an execution that waits for another one is blocked.
    pub max_unread_waiting: usize,
    /// The time before a continuation from which on the execution keeps the ids of its mail. For an
    /// older message it searches the earlier parts of its journal (1 read request for each segment).
    pub seen: Duration,
    /// The maximum number of these ids. If they are more, the time is shorter.
    pub max_seen: usize,
    /// The maximum number of entries of one execution, or of a part of it.
    pub max_entries: u64,
    /// The maximum size in bytes of the journal of one execution.
    pub max_journal: u64,
    /// The number of levels of children below an execution that is started from now on. A deeper
    /// child is refused, so a workflow that starts itself for ever ends.
    pub max_depth: u32,
    /// The number of requests that an execution may make in a day (UTC), by the price list. Then it
    /// is blocked, until an operator resumes it on another day or with a larger budget.
    pub budget: u64,
    /// The time after which a bucket request without a reply is abandoned, and one second more for
    /// each MiB of a write. It should be half of `ttl` at most: a commit is then tried twice while
    /// the lease lasts.
    pub request_timeout: Duration,
    /// The maximum number of concurrent bucket requests of one execution.
    pub concurrency: usize,
    /// The size in bytes of the heads cached after a run for the next run of the same execution:
    /// each hit saves a read. Useful if the same worker is likely to run it. 0 disables the cache.
    pub sticky: usize,
    /// The queues that executions and children may be started on; any queue if it is empty. A
    /// deployment whose workers serve these rejects a start on another queue, which nothing would run.
    pub queues: BTreeSet<Queue>,
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
            mailbox_page: 1_000,
            mailbox_batch: 256,
            mailbox_batch_bytes: 4 << 20,
            max_unread: 1_000,
            max_unread_waiting: 10_000,
            seen: Duration::from_secs(3600),
            max_seen: 20_000,
            max_entries: 50_000,
            max_journal: 32 << 20,
            max_depth: Depth::default().max,
            budget: 20_000_000,
            request_timeout: Duration::from_secs(15),
            concurrency: 16,
            sticky: 0,
            queues: BTreeSet::new(),
        }
    }
}
