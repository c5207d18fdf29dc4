//! The steps after a tombstone: deletes everything else, and reports to the feed.

use futures::{StreamExt, TryStreamExt, stream};
use jiff::SignedDuration;

use super::RetentionError;
use super::walk::{Did, Walk};
use crate::domain::{ExecutionId, Status};
use crate::feed::{self, Event, FeedRecord};
use crate::journal::{CommitError, Head, Journal};
use crate::keys::{self, Key};
use crate::process::Core;
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
        let reported = keys::feed(head.at, &head.record.eid, head.commit);
        if self.core.ports.read(&reported).await?.is_some() {
            return Ok(Did::Nothing);
        }
        finish(self.core, journal).await?;
        Ok(Did::Finished)
    }
}

/// Deletes what a tombstone leaves, and reports it. 2 P, and 1 P if it is late; 2 P more if the
/// execution was deleted with its archive.
pub(crate) async fn finish(core: &Core, journal: &mut Journal) -> Result<(), RetentionError> {
    let eid = journal.head.record.eid;
    clear(core, eid).await?;
    if is_deleted(&journal.head) {
        clear_archive(core, eid).await?;
    }
    announce(core, journal).await
}

pub(super) fn is_deleted(head: &Head) -> bool {
    let archived = head.archived.as_ref();
    archived.is_some_and(|archived| archived.deleted.is_some())
}

/// Deletes everything under an execution except its head. 1 P for each 1,000 objects. However
/// late this is, it reaches no other execution: none has this id.
pub(super) async fn clear(core: &Core, eid: ExecutionId) -> Result<(), RetentionError> {
    let head = keys::head(&eid);
    let rows = core.ports.list(&keys::execution(&eid)).await?.into_iter();
    let keys = rows.map(|row| row.key).filter(|key| *key != head);
    delete(core, keys).await
}

/// Deletes the archive of an execution, and its large values. 1 P for each 1,000 of them.
pub(super) async fn clear_archive(core: &Core, eid: ExecutionId) -> Result<(), RetentionError> {
    let rows = core
        .ports
        .list(&keys::archive_blobs(&eid))
        .await?
        .into_iter();
    let keys = rows.map(|row| row.key).chain([keys::archive(&eid)]);
    delete(core, keys).await
}

async fn delete(core: &Core, keys: impl Iterator<Item = Key>) -> Result<(), RetentionError> {
    let ports = &core.ports;
    let deletes: Vec<_> = keys
        .map(|key| async move { ports.delete(&key).await })
        .collect();
    let deletes = stream::iter(deletes).buffer_unordered(core.settings.concurrency.max(1));
    deletes.try_collect::<()>().await?;
    Ok(())
}

/// Reports to the feed, with the instant in the tombstone, so that a later pass finds the
/// feed object with one read. If that instant is too old, the tombstone gets a new one first.
/// 1 P, or 2 if it is late.
pub(super) async fn announce(core: &Core, journal: &mut Journal) -> Result<(), RetentionError> {
    let (ports, ttl) = (&core.ports, core.settings.ttl);
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

/// Builds the feed object that reports the archiving or the delete, and how the execution had ended.
fn report(head: &Head) -> FeedRecord {
    let ended = head.archived.as_ref().map(|archived| archived.status);
    let archived = Event {
        kind: match is_deleted(head) {
            true => feed::DELETED.to_owned(),
            false => "execution.archived".to_owned(),
        },
        commit: Some(head.commit),
        at: head.at,
        note: ended.as_ref().map(Status::to_string),
        fid: None,
        value: None,
    };
    FeedRecord::of(head, vec![archived])
}
