//! Archives one execution: archive, tombstone, deletes, feed object.

use super::RetentionError;
use super::finish::{announce, clear};
use super::walk::{Did, Walk, after};
use crate::archive::{self, Composed, Put};
use crate::domain::ExecutionId;
use crate::journal::{Archived, CommitError, Journal};

impl Walk<'_> {
    /// Archives an execution that the feed reports up to `commit`. 1 G; the header of the module
    /// lists what follows.
    pub(super) async fn archive(
        &self,
        eid: ExecutionId,
        commit: u64,
    ) -> Result<Did, RetentionError> {
        let Some(mut journal) = Journal::load(&self.core.ports, &eid).await? else {
            return Ok(Did::Nothing); // lost: the audit reports it
        };
        let head = &journal.head;
        match &head.archived {
            // **[R]** Only the tombstone of the commit that this feed object names.
            Some(archived) if archived.commit == commit => self.finish(&mut journal).await,
            Some(_) => Ok(Did::Nothing),
            // **[R] A15** The feed object is the last effect of its outbox: once the feed reports
            // the last commit, every effect before it is in the bucket.
            None if head.status.is_terminal() && head.lease.is_none() && head.commit == commit => {
                self.entomb(journal).await
            }
            None => Ok(Did::Nothing),
        }
    }

    async fn entomb(&self, mut journal: Journal) -> Result<Did, RetentionError> {
        let (ports, settings) = (&self.core.ports, &self.core.settings);
        let head = &journal.head;
        let (eid, commit, status) = (head.record.eid, head.commit, head.status);
        let (fired, end) = (head.fired.clone(), head.at);
        let Composed { archive, result } =
            archive::compose(ports, &mut journal, settings.concurrency).await?;
        let Put::There(sha256) = archive::put(ports, &archive).await? else {
            return Ok(Did::Left);
        };
        let archived = Archived {
            sha256: Some(sha256),
            commit,
            status,
            result: Some(result),
            free_at: after(end, self.settings.free_after),
            next: None,
            deleted: None,
        };
        let deadline = ports.clock.monotonic() + settings.ttl;
        match journal.entomb(ports, archived.clone(), deadline).await {
            Ok(()) => {}
            // **[R] A9** The execution was reopened, or another pass was faster.
            Err(CommitError::Lost { .. }) => return self.lost(eid, commit).await,
            Err(error) => return Err(error.into()),
        }
        // The outbox is dispatched, so every effect that the timer covered is in the bucket.
        if let Some(fired) = fired {
            ports.delete(&fired).await?;
        }
        clear(self.core, eid).await?;
        announce(self.core, &mut journal).await?;
        Ok(Did::Archived)
    }

    /// Handles a refused tombstone: another pass may have replaced the same head, and stopped
    /// since.
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
