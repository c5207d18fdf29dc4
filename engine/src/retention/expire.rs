//! Expires old feed objects, and the tombstones of the executions that they report.
//!
//! For each execution in old feed objects:
//!
//! - It has a tombstone: the feed objects before the tombstone are deleted. If the tombstone is
//!   old enough itself, it is marked, its prefix is deleted once more, then the tombstone, then
//!   its last feed object.
//! - It has no head, and an archive: a pass was killed in between; its feed objects are deleted.
//! - It is not over: its feed objects stay, since retention finds it by them. It is over, and was
//!   not archived in time (it was broken): it is archived now.
//! - Feed objects of an earlier execution with the same key are deleted.

use jiff::SignedDuration;

use super::RetentionError;
use super::walk::{Did, FeedRecord, Walk};
use crate::feed;
use crate::journal::{Archived, CommitError, Journal};
use crate::keys::{self, FeedKey, Key};
use crate::outbox;
use crate::retention::RetentionSettings;

impl Walk<'_> {
    /// Expires an execution that old feed objects report. 1 G; 2 P to purge it.
    pub(super) async fn expire(&self, told: &FeedRecord) -> Result<Did, RetentionError> {
        let ports = &self.core.ports;
        let Some(mut journal) = Journal::load(ports, &told.eid).await? else {
            // Without an archive it is not purged but lost: the audit reports it.
            return match ports.read(&keys::archive(&told.eid)).await? {
                Some(_) => self.delete(told.objects.iter().map(|(key, _)| key)).await,
                None => Ok(Did::Nothing),
            };
        };
        let Some(archived) = journal.head.archived.clone() else {
            return self.live(told, &journal).await;
        };
        let (at, own) = (journal.head.at, journal.head.commit);
        let of = |fits: fn(u64, u64) -> bool| {
            let objects = told.objects.iter();
            objects
                .filter(move |(_, key)| fits(key.commit, own))
                .map(|(key, _)| key)
        };
        // The feed objects by which retention finds it are deleted only after its last one
        // exists.
        let is_archived = told
            .objects
            .iter()
            .any(|(_, key)| key.commit == archived.commit);
        if is_archived && self.finish(&mut journal).await? == Did::Finished {
            return Ok(Did::Finished);
        }
        let earlier = self.delete(of(|commit, own| commit < own)).await?;
        let age = self.now.duration_since(at);
        let ripe =
            age >= SignedDuration::try_from(self.settings.purge).unwrap_or(SignedDuration::MAX);
        if of(|commit, own| commit == own).next().is_none() || !ripe {
            return Ok(earlier);
        }
        match self.purge(&mut journal, &archived).await? {
            true => {
                // The very last: a later pass finds the rest of a purge by these objects.
                let _ = self.delete(of(|commit, own| commit == own)).await?;
                Ok(Did::Purged)
            }
            false => Ok(earlier),
        }
    }

    /// Deletes the rest of an execution, its tombstone last. Returns `false` if another pass has
    /// marked it. 2 P.
    async fn purge(
        &self,
        journal: &mut Journal,
        archived: &Archived,
    ) -> Result<bool, RetentionError> {
        let (ports, ttl) = (&self.core.ports, self.core.settings.ttl);
        let (now, began) = (ports.clock.now(), ports.clock.monotonic());
        let least = RetentionSettings::least_purge(ttl);
        let under_way = archived.purged_since.is_some_and(|since| {
            now.duration_since(since)
                < SignedDuration::try_from(least).unwrap_or(SignedDuration::MAX)
        });
        if under_way {
            return Ok(false);
        }
        // **[R]** The pass whose mark lands deletes; any other pass may do so only after that one
        // must have ended.
        let marked = journal.amend_tombstone(
            ports,
            |_, archived| archived.purged_since = Some(now),
            began + ttl,
        );
        match marked.await {
            Ok(()) => {}
            Err(CommitError::Lost { .. }) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        let (eid, end) = (journal.head.record.eid, outbox::horizon(began, ttl));
        self.clear_until(eid, end).await?;
        let head = keys::head(&eid);
        let mut last = futures::FutureExt::boxed(ports.delete(&head));
        match outbox::until(&*ports.clock, end, &mut last).await {
            Some(deleted) => deleted?,
            None => return Err(RetentionError::Late { eid }),
        }
        Ok(true)
    }

    /// Handles an execution that is not archived.
    async fn live(&self, told: &FeedRecord, journal: &Journal) -> Result<Did, RetentionError> {
        let head = &journal.head;
        // An earlier execution of the same key ended before this one was created.
        let earlier = |key: &FeedKey| key.at < head.record.created_at || key.commit > head.commit;
        let mut others = Vec::new();
        for (key, parsed) in told.objects.iter().filter(|(_, key)| earlier(key)) {
            let found = feed::read(&self.core.ports, std::slice::from_ref(key), 1).await?;
            let other = |told: &feed::FeedRecord| told.created_at != head.record.created_at;
            if found.first().is_some_and(other) {
                others.push((key, parsed.commit));
            }
        }
        if !others.is_empty() {
            return self.delete(others.into_iter().map(|(key, _)| key)).await;
        }
        let newest = told.objects.iter().map(|(_, key)| key.commit).max();
        match newest {
            Some(newest) if newest == head.commit => self.archive(told.eid, newest).await,
            _ => Ok(Did::Nothing),
        }
    }

    async fn delete<'k>(&self, keys: impl Iterator<Item = &'k Key>) -> Result<Did, RetentionError> {
        let mut count = 0;
        for key in keys {
            self.core.ports.delete(key).await?;
            count += 1;
        }
        Ok(match count {
            0 => Did::Nothing,
            count => Did::Expired(count),
        })
    }
}
