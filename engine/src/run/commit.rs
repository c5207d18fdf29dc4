//! Steps 9 to 11: commits the entries and effects that the pass has collected in memory.

use std::time::Duration;

use futures::FutureExt;
use jiff::{SignedDuration, Timestamp};

use super::ended::RunError;
use super::pass::Pass;
use crate::domain::{Body, Entry, Status};
use crate::journal::{Draft, Lease, Named, News};
use crate::keys::Key;
use crate::outbox::{self, DispatchError, Noted};
use crate::replay::Drive;
use crate::stored;
use crate::timers;

/// Bytes of entries in one commit, so that a head stays under its bound.
const CHUNK: usize = 24 << 10;

/// Upper bound for the size of a commit without its entries.
const COMMIT: usize = 1 << 10;

/// The state in which a commit leaves the execution.
pub(super) enum Leave {
    /// This run continues and holds the lease.
    Owned,
    /// This run is over: no lease is held. Contains the earliest deadline.
    Free(Status, Option<Timestamp>),
}

impl Pass {
    /// The barrier: commits everything observed so far, and the lease, in one compare-and-swap
    /// (several if there are many entries or effects). **\[R\]** Every commit except a run's last
    /// one sets the lease.
    pub(super) async fn flush(&mut self) -> Result<(), RunError> {
        loop {
            let chunk = self.chunk().await?;
            let whole = self.pending.is_empty();
            self.commit(chunk, whole, Leave::Owned).await?;
            let core = std::sync::Arc::clone(&self.core);
            self.dispatching.start(&core, &self.journal.head, false);
            if whole {
                return Ok(());
            }
        }
    }

    /// Makes the final commit. **\[R\]** Its outbox contains no earlier effect: all of them are
    /// dispatched first. Afterwards its own effects are dispatched, too.
    pub(super) async fn leave(
        &mut self,
        status: Status,
        due: Option<Timestamp>,
    ) -> Result<(), RunError> {
        let core = std::sync::Arc::clone(&self.core);
        loop {
            let chunk = self.chunk().await?;
            if self.pending.is_empty() {
                self.drain().await?;
                self.commit(chunk, true, Leave::Free(status, due)).await?;
                if status.is_terminal() {
                    core.completion_waiters.tell(&self.journal.head.record.eid);
                }
                return self.dispatch_the_rest().await;
            }
            self.commit(chunk, false, Leave::Owned).await?;
            self.dispatching.start(&core, &self.journal.head, false);
        }
    }

    /// Takes the entries for one commit out of the pending ones; large values become blobs. It
    /// stops when the lease is due for renewal and leaves the rest to the next commit: storing
    /// many large values could otherwise outlast the lease.
    async fn chunk(&mut self) -> Result<Vec<Entry>, RunError> {
        let core = std::sync::Arc::clone(&self.core);
        let settings = &core.settings;
        let eid = self.journal.head.record.eid;
        let patience = self.patience();
        let renewal = patience.map(|_| self.renewal());
        let (mut taken, mut bytes, mut effects, mut held) = (0, 0, 0, 0);
        while let Some(entry) = self.pending.get_mut(taken) {
            let now = core.ports.clock.monotonic();
            if taken > 0 && renewal.is_some_and(|renewal| now >= renewal) {
                break;
            }
            if let Some(payload) = entry.payload_mut() {
                stored::offload_until(&core.ports, &eid, payload, settings.inline, patience)
                    .await?;
            }
            let size = size(entry);
            if taken > 0 && bytes + size > CHUNK {
                break;
            }
            if outbox::has_effect(entry, &self.journal.head.record) {
                let over = self.dispatching.len() + effects + 1 > settings.window
                    || self.dispatching.bytes() + held + size > CHUNK;
                if over && (taken > 0 || !self.dispatching.is_empty()) {
                    if taken > 0 {
                        break;
                    }
                    self.drain().await?;
                }
                effects += 1;
                held += size;
            }
            bytes += size;
            taken += 1;
        }
        // **[R]** No segment is sealed with an undispatched effect: a full tail waits for the
        // effect. Otherwise the head would grow for as long as the effect takes.
        if self.journal.is_full(bytes + COMMIT, settings.tail) {
            self.drain().await?;
        }
        Ok(self.pending.drain(..taken).collect())
    }

    /// Dispatches everything that earlier commits of this run have decided. The lease is renewed
    /// meanwhile, even if an effect takes long.
    async fn drain(&mut self) -> Result<(), RunError> {
        let core = std::sync::Arc::clone(&self.core);
        let clock = &*core.ports.clock;
        while !self.dispatching.is_idle() {
            self.dispatching.start(&core, &self.journal.head, true);
            let wait = self.renewal().saturating_sub(clock.monotonic());
            let dispatched = futures::select_biased! {
                dispatched = self.dispatching.next(clock, self.until).fuse() => Some(dispatched),
                () = clock.sleep(wait).fuse() => None,
            };
            match dispatched {
                None | Some(Err(DispatchError::Late)) => {
                    self.commit(Vec::new(), false, Leave::Owned).await?;
                }
                Some(dispatched) => dispatched?,
            }
        }
        Ok(())
    }

    /// Dispatches what the final commit has decided. The execution has no lease any more.
    async fn dispatch_the_rest(&mut self) -> Result<(), RunError> {
        let core = std::sync::Arc::clone(&self.core);
        let end = outbox::horizon(self.committed, core.settings.ttl);
        while !self.dispatching.is_idle() {
            self.dispatching.start(&core, &self.journal.head, true);
            self.dispatching.next(&*core.ports.clock, end).await?;
        }
        Ok(())
    }

    /// Returns until when store errors are retried: the end of the lease, if this run holds one.
    fn patience(&self) -> Option<Duration> {
        self.acquired.then_some(self.until)
    }

    /// Returns when the lease is due for renewal.
    pub(super) fn renewal(&self) -> Duration {
        self.committed + self.core.settings.ttl / 3
    }

    async fn commit(
        &mut self,
        entries: Vec<Entry>,
        whole: bool,
        leave: Leave,
    ) -> Result<(), RunError> {
        let core = std::sync::Arc::clone(&self.core);
        let (clock, settings) = (&core.ports.clock, &core.settings);
        let head = &self.journal.head;
        let number = head.commit + 1;
        // `until` counts from before the request is sent.
        let (sent, wall) = (clock.monotonic(), clock.now());
        let epoch = if self.acquired {
            head.epoch
        } else {
            head.epoch + 1
        };
        let by = core.provenance(epoch);
        let (lease, status, timer) = match leave {
            Leave::Owned => {
                let until = after(wall, settings.ttl);
                let lease = Lease {
                    worker: core.host.worker.clone(),
                    epoch,
                    until,
                };
                (Some(lease), Status::Running, head.timer.clone())
            }
            Leave::Free(status, due) => (None, status, self.timer_for(due, number)),
        };
        if lease.is_some() && !self.acquired {
            self.crash_count += 1;
        }
        if entries.iter().any(is_outcome) {
            self.crash_count = 0;
        }
        self.news.retain(|news| news.commit > self.dispatching.told);
        for (at, entry) in (head.entries..).zip(&entries) {
            if outbox::has_effect(entry, &head.record) {
                let noted = Noted {
                    at: self.now,
                    by: by.clone(),
                    entry: entry.clone(),
                };
                self.dispatching.note(at, noted, size(entry));
            }
            if let Some(note) = news_of(entry) {
                let kind = entry.kind().to_owned();
                self.news.push(News {
                    commit: number,
                    at: self.now,
                    kind,
                    note,
                });
            }
        }
        if lease.is_none() && timer.is_some() && timer != head.timer {
            self.dispatching.name(Named::Timer);
        }
        let overdue = !self.fed && sent.saturating_sub(self.began) >= settings.feed_after;
        if lease.is_none() || overdue {
            self.dispatching.name(Named::Feed);
            self.fed = true;
        }
        let owned = lease.is_some();
        let outbox = self.dispatching.outbox();
        let frames = self
            .drive
            .as_ref()
            .filter(|_| whole && self.driven)
            .map(Drive::frames);
        let draft = Draft {
            at: self.now,
            by,
            frames,
            entries,
            lease,
            status,
            timer,
            fired: self.fired.clone(),
            outbox,
            news: self.news.clone(),
            crash_count: self.crash_count,
            // Within the lease: the current one, or the one that this commit acquires.
            deadline: if self.acquired {
                self.until
            } else {
                sent + settings.ttl
            },
        };
        let long = self.is_long();
        self.journal.commit(&core.ports, settings, draft).await?;
        core.counter.commit();
        if !long && self.is_long() {
            let head = &self.journal.head;
            let (eid, entries, bytes) = (head.record.eid, head.entries, head.bytes);
            tracing::warn!(%eid, entries, bytes, "its history is at half its bound");
        }
        if owned && !self.acquired {
            tracing::Span::current().record("epoch", epoch);
        }
        self.acquired |= owned;
        self.until = sent + settings.ttl;
        self.committed = sent;
        Ok(())
    }

    /// Returns whether the history exceeds half of a bound.
    fn is_long(&self) -> bool {
        let (head, settings) = (&self.journal.head, &self.core.settings);
        head.entries > settings.max_entries / 2 || head.bytes > settings.max_journal / 2
    }

    /// Returns the timer key for the earliest deadline; it is unchanged if the instant is.
    fn timer_for(&self, due: Option<Timestamp>, commit: u64) -> Option<Key> {
        let head = &self.journal.head;
        let record = &head.record;
        // A key that woke this run is used up: its object is deleted at the end of the run.
        let current = head
            .timer
            .as_ref()
            .filter(|key| Some(*key) != self.waking.as_ref());
        due.map(|due| timers::key_for(due, &record.queue, &record.eid, commit, current))
    }

    /// Counts a crash and keeps the lease until it expires, with the causes in place. Everything
    /// observed is committed.
    pub(super) async fn crash(&mut self) -> Result<u32, RunError> {
        self.driven = false;
        if !self.acquired || !self.pending.is_empty() {
            self.flush().await?;
        }
        Ok(self.crash_count)
    }
}

/// Returns `at + by`, or the end of time.
pub(super) fn after(at: Timestamp, by: Duration) -> Timestamp {
    SignedDuration::try_from(by)
        .ok()
        .and_then(|by| at.checked_add(by).ok())
        .unwrap_or(Timestamp::MAX)
}

/// Returns whether an entry is progress, which a crash loop does not make.
fn is_outcome(entry: &Entry) -> bool {
    match entry {
        Entry::FrameCompleted { .. } | Entry::FrameRecorded { .. } | Entry::FrameFailed { .. } => {
            true
        }
        Entry::FrameFulfilled { .. } => true,
        Entry::Received {
            body: Body::Child { .. },
            ..
        } => true,
        Entry::FrameSuspended {
            wait: crate::domain::Wait::Retry { lost, .. },
            ..
        } => !lost.0,
        _ => false,
    }
}

/// Returns the feed's note on an entry; `None` if the feed does not report that entry.
fn news_of(entry: &Entry) -> Option<Option<String>> {
    match entry {
        Entry::Started
        | Entry::Suspended
        | Entry::Resumed
        | Entry::Unpaused
        | Entry::Completed { .. }
        | Entry::Sliced => Some(None),
        Entry::Paused { reason } => Some(Some(short(reason))),
        Entry::Blocked(blocked) => Some(Some(short(&blocked.to_string()))),
        Entry::Failed { failure } | Entry::Cancelled { failure } => {
            Some(Some(short(&failure.to_string())))
        }
        _ => None,
    }
}

/// Shortens a text for the feed; the journal contains it in full.
fn short(text: &str) -> String {
    text.chars().take(512).collect()
}

/// Returns the size of an entry in bytes, as serialized.
fn size(entry: &Entry) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    serde_json::to_writer(&mut count, entry)
        .expect("an entry holds only values that were serialized before");
    count.0
}
