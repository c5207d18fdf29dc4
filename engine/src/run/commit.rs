//! One commit of a run: what it contains beside its entries.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::committer::{Committer, Leave, size};
use super::ended::RunError;
use super::lease::after;
use super::state::{is_progress, short};
use crate::domain::{Entry, Provenance, Status};
use crate::journal::{Draft, Lease, Named, News};
use crate::keys::Key;
use crate::outbox::{self, Noted};
use crate::timers;

impl Committer {
    /// Commits `entries`, with the number of frames that the workflow has registered if it was
    /// driven up to them, and everything that follows from them.
    pub(super) async fn commit(
        &mut self,
        entries: Vec<Entry>,
        frames: Option<u32>,
        leave: Leave,
    ) -> Result<(), RunError> {
        let core = Arc::clone(&self.core);
        let (clock, settings) = (&core.ports.clock, &core.settings);
        // `until` counts from before the request is sent.
        let (sent, wall) = (clock.monotonic(), clock.now());
        let epoch = self.epoch();
        let by = core.provenance(epoch);
        self.record(&entries);
        let (lease, status, timer) = self.leaves(leave, wall, epoch);
        let owned = lease.is_some();
        let budget = self.budget_after(&entries, !owned, timer.as_ref());
        self.count_crash(owned, status, &entries);
        self.note_effects(&entries, &by);
        self.name_effects(owned, timer.as_ref(), sent);
        let outbox = self.outbox.outbox();
        let draft = Draft {
            at: self.now,
            by,
            frames,
            entries,
            lease,
            status,
            timer,
            fired: self.timers.fired.clone(),
            outbox,
            news: self.news.clone(),
            crash_count: self.state.crash_count,
            budget,
            unread: self.full_inbox(leave),
            deadline: self.lease.deadline(sent),
        };
        let long = self.is_long();
        self.journal.commit(&core.ports, settings, draft).await?;
        core.counter.commit();
        if !long && self.is_long() {
            let head = &self.journal.head;
            let (eid, entries, bytes) = (head.record.eid, head.entries, head.bytes);
            tracing::warn!(%eid, entries, bytes, "its history is at half its bound");
        }
        if owned && !self.lease.acquired {
            tracing::Span::current().record("epoch", epoch);
        }
        self.lease.renewed(sent, owned);
        Ok(())
    }

    /// Brings the recorded state up to the entries of a commit. A retry makes entries void, so what
    /// follows from it is not the sum of its entries.
    fn record(&mut self, entries: &[Entry]) {
        for (number, entry) in (self.journal.head.entries..).zip(entries) {
            match (entry, &mut self.retried) {
                (Entry::Retried(_), Some(_)) => {
                    self.recorded = self.retried.take().expect("matched");
                }
                _ => self.recorded.note(number, entry),
            }
        }
    }

    /// Returns the number of the lease: that of the head, or the next one if this run holds none
    /// yet.
    fn epoch(&self) -> u64 {
        self.journal.head.epoch + u64::from(!self.lease.acquired)
    }

    /// Returns lease, status and timer after the commit.
    fn leaves(
        &self,
        leave: Leave,
        wall: Timestamp,
        epoch: u64,
    ) -> (Option<Lease>, Status, Option<Key>) {
        match leave {
            Leave::Owned => {
                let lease = Lease {
                    worker: self.core.host.worker.clone(),
                    epoch,
                    until: after(wall, self.core.settings.ttl),
                    ttl_ms: u64::try_from(self.core.settings.ttl.as_millis()).unwrap_or(u64::MAX),
                };
                let timer = self.journal.head.timer.clone();
                // **[R] I11** A paused or blocked execution shows that under a lease, too.
                let parked = self.recorded.requested.parked;
                (Some(lease), parked.unwrap_or(Status::Running), timer)
            }
            Leave::Free(status, due) => (None, status, self.timer_for(due)),
        }
    }

    /// Returns the number of unread messages, if the execution takes no more.
    fn full_inbox(&self, leave: Leave) -> Option<usize> {
        let unread = self.recorded.unread.len();
        let leaves = matches!(leave, Leave::Free(status, _) if !status.is_terminal());
        let full = unread >= self.core.settings.max_unread && !self.receives;
        (leaves && full).then_some(unread)
    }

    /// Returns the timer key for the earliest deadline; it is unchanged if the instant is.
    fn timer_for(&self, due: Option<Timestamp>) -> Option<Key> {
        let head = &self.journal.head;
        let record = &head.record;
        // A key that woke this run is used up: its object is deleted at the end of the run.
        let current = head
            .timer
            .as_ref()
            .filter(|key| Some(*key) != self.timers.waking.as_ref());
        let commit = head.commit + 1;
        due.map(|due| timers::key_for(due, &record.queue, &record.eid, commit, current))
    }

    /// **I13** Checks, after a commit of everything that was pending, that the state in memory is
    /// that of a run that loads now.
    pub(super) fn check_state(&self) {
        let differs = self.state.differs(&self.recorded);
        debug_assert_eq!(differs, None);
    }

    /// **\[R\] A18** Counts the leases since the last clean end or new outcome. Bad interleaving:
    /// each of some messages is served late, so each run acquires before it replays; all of them
    /// end cleanly, and without an outcome; the execution is blocked.
    fn count_crash(&mut self, owned: bool, status: Status, entries: &[Entry]) {
        if owned && !self.lease.acquired {
            self.state.crash_count += 1;
        }
        // A run of a parked execution does not drive it, and shows nothing about its code.
        let clean = !owned && !matches!(status, Status::Paused | Status::Blocked);
        if clean || entries.iter().any(is_outcome) {
            self.state.crash_count = 0;
        }
    }

    /// Notes what the entries of this commit cause outside the head: effects, and events for the
    /// feed.
    fn note_effects(&mut self, entries: &[Entry], by: &Provenance) {
        let head = &self.journal.head;
        let reported = self.outbox.reported_up_to;
        self.news.retain(|news| news.commit > reported);
        for (number, entry) in (head.entries..).zip(entries) {
            if outbox::has_effect(entry, &head.record) {
                let noted = Noted {
                    at: self.now,
                    by: by.clone(),
                    entry: entry.clone(),
                };
                self.outbox.note(number, noted, size(entry));
            }
            let news = match entry {
                Entry::Suspended => Some(self.unread.as_deref().map(short)),
                entry => news_of(entry),
            };
            if let Some(note) = news {
                self.news.push(News {
                    commit: head.commit + 1,
                    at: self.now,
                    kind: entry.kind().to_owned(),
                    note,
                });
            }
        }
    }

    /// Names the effects of this commit that are in no entry: a new timer, and the feed object, which
    /// a final commit has, and the first renewal of a long run.
    fn name_effects(&mut self, owned: bool, timer: Option<&Key>, sent: Duration) {
        if !owned && timer.is_some() && timer != self.journal.head.timer.as_ref() {
            self.outbox.name(Named::Timer);
        }
        let since = sent.saturating_sub(self.lease.began);
        let overdue = !self.fed && since >= self.core.settings.feed_after;
        if !owned || overdue {
            self.outbox.name(Named::Feed);
            self.fed = true;
        }
    }
}

/// Returns whether an entry is progress, which a crash loop does not make.
fn is_outcome(entry: &Entry) -> bool {
    is_progress(entry) || matches!(entry, Entry::FrameRecorded { .. })
}

/// Returns the feed's note on an entry other than a suspension; `None` if the feed does not report
/// that entry.
fn news_of(entry: &Entry) -> Option<Option<String>> {
    match entry {
        Entry::Started
        | Entry::Resumed
        | Entry::Unpaused
        | Entry::Completed { .. }
        | Entry::Sliced => Some(None),
        Entry::Paused { reason } => Some(Some(short(reason))),
        Entry::Retried(retried) => Some(Some(short(&retried.reason))),
        Entry::Refused { why, .. } => Some(Some(short(why))),
        Entry::Blocked(blocked) => Some(Some(short(&blocked.to_string()))),
        Entry::Failed { failure } | Entry::Cancelled { failure } => {
            Some(Some(short(&failure.to_string())))
        }
        _ => None,
    }
}
