//! Expires the executions that old feed objects report, once their keys are free.
//!
//! For each execution in old feed objects:
//!
//! - Its key is free: what is left under its id is deleted (a value that a slow writer stored), then
//!   its feed objects, the report of its archiving last, because a later pass finds the rest by it.
//!   The tombstone stays.
//! - Its key is not free: its feed objects stay. If its archiving was not reported, it is now.
//! - It is not over: its feed objects stay, since retention finds it by them. It is over, and was
//!   not archived in time (it was broken): it is archived now.

use std::time::Duration;

use super::RetentionError;
use super::finish::{clear, clear_archive, is_deleted};
use super::walk::{Did, FeedRecord, Walk, after};
use crate::journal::Journal;
use crate::keys::{self, Key};

/// How long a tombstone exists at least before the rest of its execution is deleted: a key may be
/// free before that.
const KEPT: Duration = Duration::from_secs(24 * 3600);

impl Walk<'_> {
    /// Expires an execution that old feed objects report. 1 G; 1 P once its key is free.
    pub(super) async fn expire(&self, reported: &FeedRecord) -> Result<Did, RetentionError> {
        let ports = &self.core.ports;
        let Some(mut journal) = Journal::load(ports, &reported.eid).await? else {
            return Ok(Did::Nothing); // lost: the audit reports it
        };
        let newest = reported.objects.iter().map(|(_, key)| key.commit).max();
        let Some(archived) = journal.head.archived.clone() else {
            return self.archive(reported.eid, newest.unwrap_or_default()).await;
        };
        let names = |commit| reported.objects.iter().any(|(_, key)| key.commit == commit);
        let (end, own) = (names(archived.commit), names(journal.head.commit));
        if self.now < after(journal.head.at, KEPT).max(archived.free_at) {
            return match end {
                true => self.finish(&mut journal).await,
                false => Ok(Did::Nothing),
            };
        }
        let keys = reported.objects.iter().map(|(key, _)| key);
        if !(end || own) {
            return self.delete(keys).await;
        }
        clear(self.core, reported.eid).await?;
        // A slow pass may have written an archive behind a delete.
        if is_deleted(&journal.head) {
            clear_archive(self.core, reported.eid).await?;
        }
        let last = keys::feed(journal.head.at, &reported.eid, journal.head.commit);
        let _ = self.delete(keys.filter(|key| **key != last)).await?;
        ports.delete(&last).await?;
        Ok(Did::Freed)
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
