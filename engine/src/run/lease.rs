//! The lease of a run, by the monotonic clock.

use std::time::Duration;

pub(super) struct Held {
    ttl: Duration,
    /// Whether a commit of this run has set the lease.
    pub(super) acquired: bool,
    /// When the run began.
    pub(super) began: Duration,
    /// When the newest commit was sent.
    pub(super) committed: Duration,
    /// When the lease ends. **B29** It counts from before the request that sets it.
    pub(super) until: Duration,
}

impl Held {
    pub(super) fn new(now: Duration, ttl: Duration) -> Self {
        Self {
            ttl,
            acquired: false,
            began: now,
            committed: now,
            until: now + ttl,
        }
    }

    /// Records a commit that was sent at `sent` and has landed.
    pub(super) fn renewed(&mut self, sent: Duration, owned: bool) {
        self.acquired |= owned;
        self.until = sent + self.ttl;
        self.committed = sent;
    }

    /// Returns when the lease is due for renewal.
    pub(super) fn renewal(&self) -> Duration {
        self.committed + self.ttl / 3
    }

    /// Returns when a listing of the mailbox ends without result: the rest of the lease is
    /// reserved for its renewal.
    pub(super) fn listing_ends(&self) -> Duration {
        self.committed + self.ttl.mul_f64(2.0 / 3.0)
    }

    /// Returns until when store errors are retried: the end of the lease, if this run holds one.
    pub(super) fn patience(&self) -> Option<Duration> {
        self.acquired.then_some(self.until)
    }

    /// Returns until when a commit that is sent now may be tried: within the current lease, or the
    /// one that it acquires.
    pub(super) fn deadline(&self, sent: Duration) -> Duration {
        self.patience().unwrap_or(sent + self.ttl)
    }
}
