//! Archiving one execution: archive, tombstone, deletes, word to the feed.

use super::RetentionError;
use super::walk::{Did, Walk};
use crate::archive::{self, Composed, Put};
use crate::domain::ExecutionId;
use crate::journal::{Archived, CommitError, Journal};
use crate::planted::{Bug, planted};

impl Walk<'_> {
    /// Looks at an execution of which the feed tells, up to commit `told`. 1 G; see the module's
    /// head for what follows.
    pub(super) async fn archive(&self, eid: ExecutionId, told: u64) -> Result<Did, RetentionError> {
        let Some(mut journal) = Journal::load(&self.core.ports, &eid).await? else {
            return Ok(Did::Nothing); // purged
        };
        let head = &journal.head;
        match &head.archived {
            Some(archived) if archived.commit == told => self.finish(&mut journal).await,
            Some(_) => Ok(Did::Nothing),
            // **[R] A15** The feed object is the last effect of its outbox: only when it tells of
            // the last commit is everything before it there.
            None if head.status.is_terminal()
                && head.lease.is_none()
                && (head.commit == told || planted(Bug::ArchivesUnreported)) =>
            {
                self.entomb(journal).await
            }
            None => Ok(Did::Nothing),
        }
    }

    async fn entomb(&self, mut journal: Journal) -> Result<Did, RetentionError> {
        let (ports, settings) = (&self.core.ports, &self.core.settings);
        let head = &journal.head;
        let (eid, commit, status) = (head.record.eid, head.commit, head.status);
        let fired = head.fired.clone();
        let Composed { archive, result } =
            archive::compose(ports, &mut journal, settings.concurrency).await?;
        let sha256 = match planted(Bug::TombstoneBeforeArchive) {
            true => crate::domain::Digest::of(&archive.encode()),
            false => match archive::put(ports, &archive).await? {
                Put::There(sha256) => sha256,
                Put::Later => return Ok(Did::Left),
            },
        };
        if planted(Bug::DeletesBeforeTombstone) {
            self.clear(eid).await?;
        }
        let archived = Archived {
            key: crate::keys::archive(&eid),
            sha256,
            commit,
            status,
            result,
            purged_since: None,
        };
        let deadline = ports.clock.monotonic() + settings.ttl;
        match journal.entomb(ports, archived.clone(), deadline).await {
            Ok(()) => {}
            Err(CommitError::Lost { .. }) if planted(Bug::BuriesTheReopened) => {
                let Some(mut again) = Journal::load(ports, &eid).await? else {
                    return Ok(Did::Left);
                };
                let commit = again.head.commit;
                let archived = Archived { commit, ..archived };
                again.entomb(ports, archived, deadline).await?;
                journal = again;
            }
            // **[R] A9** Somebody has re-opened it, or another pass was faster.
            Err(CommitError::Lost { .. }) => return self.lost(eid, commit).await,
            Err(error) => return Err(error.into()),
        }
        if planted(Bug::TombstoneBeforeArchive) {
            let _ = archive::put(ports, &archive).await?;
        }
        // The outbox is dispatched: whatever the timer was a sign of is there.
        if let Some(fired) = fired {
            ports.delete(&fired).await?;
        }
        self.clear(eid).await?;
        self.announce(&mut journal).await?;
        if planted(Bug::PurgesAtOnce) {
            ports.delete(&crate::keys::head(&eid)).await?;
        }
        Ok(Did::Archived)
    }

    /// Another pass may have entombed the same head, and died since.
    async fn lost(&self, eid: ExecutionId, commit: u64) -> Result<Did, RetentionError> {
        let Some(mut journal) = Journal::load(&self.core.ports, &eid).await? else {
            return Ok(Did::Left);
        };
        match &journal.head.archived {
            Some(archived) if archived.commit == commit => self.finish(&mut journal).await,
            _ => Ok(Did::Left),
        }
    }
}
