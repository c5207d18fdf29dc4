//! Leases: that of a run, by the monotonic clock, and that of another holder.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::ended::Causes;
use crate::domain::{MessageId, Status};
use crate::journal::Head;
use crate::keys::{Key, MailKey, Prefix};
use crate::ports::{BucketError, Ports};
use crate::process::Core;

/// How long a run may take to dispatch what its last commit decided, and to delete its mail.
const ENDING: Duration = Duration::from_secs(1);

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

/// Returns until when the lease of a head is honoured; `None` if there is none, or it has expired.
/// 1 P if its end is more than two of its durations ahead.
///
/// **\[R\] N10** Such a lease was set by a clock that is wrong, or by one that is right while this
/// one is not. It is honoured for its duration from the last change of the head, by the store's
/// time: a holder that is alive has renewed it. Bad interleaving: the clock of a worker is two years
/// ahead; it acquires and dies; the execution makes no progress for two years.
pub(super) async fn held_until(
    ports: &Ports,
    head: &Head,
) -> Result<Option<Timestamp>, BucketError> {
    let Some(lease) = &head.lease else {
        return Ok(None);
    };
    let (now, ttl) = (ports.clock.now(), Duration::from_millis(lease.ttl_ms));
    let held = |until: Timestamp| (until > now).then_some(until);
    if !lease.is_far_ahead(now) {
        return Ok(held(lease.until));
    }
    let key = head.key();
    let page = ports.page(&Prefix::of(&key), None, 1).await?;
    let changed = page.entries.iter().find(|row| row.key == key);
    // It is gone: the next read decides.
    Ok(changed.map_or(Some(now), |row| held(after(row.modified, ttl))))
}

/// **N25** Returns until when the `start` of an execution that ended a moment ago is left to the run that
/// ended it, which deletes it: several workers find it in the same page. Mail of any other kind may have
/// arrived since.
pub(super) fn ending(core: &Core, head: &Head, causes: &Causes) -> Option<Timestamp> {
    let is_start = |key: &Key| {
        let mail = MailKey::parse(key);
        mail.is_some_and(|mail| mail.mid == MessageId::start() && mail.queue == head.record.queue)
    };
    // After a failed run of this process, its mail is the sign that something is left.
    let first = causes.deliveries == 0 && !causes.possible_duplicate;
    let starts = causes.timers.is_empty() && causes.mail.iter().all(is_start);
    let until = after(head.at, ENDING);
    let recent = until > core.ports.clock.now();
    let ended = head.status.is_terminal() && head.status != Status::Archived;
    let ended = ended && !causes.mail.is_empty();
    (starts && ended && recent && first).then_some(until)
}

/// Returns `at + by`, or the end of time.
pub(super) fn after(at: Timestamp, by: Duration) -> Timestamp {
    SignedDuration::try_from(by)
        .ok()
        .and_then(|by| at.checked_add(by).ok())
        .unwrap_or(Timestamp::MAX)
}
