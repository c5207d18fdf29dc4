//! The steps after a tombstone: deletes everything else, and reports to the feed.

use futures::{StreamExt, TryStreamExt, stream};
use jiff::SignedDuration;

use super::RetentionError;
use super::walk::{Did, Walk};
use crate::domain::{ExecutionId, Status};
use crate::feed::{self, Event, FeedRecord};
use crate::journal::{CommitError, Head, Journal};
use crate::keys;
use crate::stored::LoadError;

/// A feed object is not written with an older instant than this: no reader would look there.
const FRESH: SignedDuration = SignedDuration::from_secs(30);
/// Number of attempts against concurrent passes.
const ROUNDS: u32 = 3;

impl Walk<'_> {
    /// Completes a tombstone, unless the feed reports it, which is the last step. 1 G, else 2 P
    /// more, and 1 P if it is late.
    pub(super) async fn finish(&self, journal: &mut Journal) -> Result<Did, RetentionError> {
        let head = &journal.head;
        let eid = head.record.eid;
        let reported = keys::feed(head.at, &eid, head.commit);
        if self.core.ports.read(&reported).await?.is_some() {
            return Ok(Did::Nothing);
        }
        self.clear(eid).await?;
        self.announce(journal).await?;
        Ok(Did::Finished)
    }

    /// Deletes everything under an execution except its head. 1 P for each 1,000 objects. However
    /// late this is, it reaches no other execution: none has this id.
    pub(super) async fn clear(&self, eid: ExecutionId) -> Result<(), RetentionError> {
        let ports = &self.core.ports;
        let head = keys::head(&eid);
        let rows = ports.list(&keys::execution(&eid)).await?.into_iter();
        let deletes: Vec<_> = rows
            .filter(|row| row.key != head)
            .map(|row| async move { ports.delete(&row.key).await })
            .collect();
        let deletes = stream::iter(deletes).buffer_unordered(self.core.settings.concurrency.max(1));
        deletes.try_collect::<()>().await?;
        Ok(())
    }

    /// Reports to the feed, with the instant in the tombstone, so that a later pass finds the
    /// feed object with one read. If that instant is too old, the tombstone gets a new one first.
    /// 1 P, or 2 if it is late.
    pub(super) async fn announce(&self, journal: &mut Journal) -> Result<(), RetentionError> {
        let (ports, ttl) = (&self.core.ports, self.core.settings.ttl);
        for _ in 0..ROUNDS {
            let (now, at) = (ports.clock.now(), journal.head.at);
            if now.duration_since(at) > FRESH {
                let deadline = ports.clock.monotonic() + ttl;
                let dated = journal.amend_tombstone(ports, |at, _| *at = now, deadline);
                match dated.await {
                    Ok(()) => {}
                    Err(CommitError::Lost { .. }) => {
                        let eid = journal.head.record.eid;
                        let key = keys::head(&eid);
                        let found = Journal::load(ports, &eid).await?;
                        *journal = found.ok_or(LoadError::Missing { key })?;
                        continue;
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            let head = &journal.head;
            feed::write_at(ports, &report(head), head.at).await?;
            return Ok(());
        }
        let eid = journal.head.record.eid;
        Err(RetentionError::Contended { eid })
    }
}

/// Builds the feed object that reports the archiving, and how the execution had ended.
fn report(head: &Head) -> FeedRecord {
    let ended = head.archived.as_ref().map(|archived| archived.status);
    let archived = Event {
        kind: "execution.archived".to_owned(),
        commit: Some(head.commit),
        at: head.at,
        note: ended.as_ref().map(Status::to_string),
        fid: None,
        value: None,
    };
    FeedRecord::of(head, vec![archived])
}
