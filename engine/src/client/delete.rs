//! Deletes an execution that has ended, with its archive.
//!
//! (1) Dispatch the outbox: a tombstone has none. (2) Replace the head that was read by a tombstone,
//! by compare-and-swap; an existing tombstone is changed in the same way. (3) Delete everything under
//! the id, then the archive. (4) Report `execution.deleted`.
//!
//! - **\[R\] G8** (1) before (2). Bad interleaving: the last run dies after its final commit; a delete
//!   replaces the head; the result for the parent is nowhere, and the parent waits for ever.
//! - **A retry races for the head**: one of the two is refused.
//! - **Crash** after (2): the same call, or the next pass of retention, does the rest.

use std::time::Duration;

use jiff::Timestamp;

use super::{Engine, EngineError};
use crate::domain::{Actor, ExecutionId, Provenance};
use crate::journal::{Archived, CommitError, Head, Journal};
use crate::retention::{RetentionSettings, finish};
use crate::run;

/// How often a delete is repeated because the head has changed meanwhile.
const ROUNDS: u32 = 8;

/// How an execution is deleted.
#[derive(Debug, Clone)]
#[must_use = "give it to `Engine::delete`"]
pub struct Delete {
    fence: Option<u64>,
    unchanged_since: Option<Timestamp>,
    free_key: bool,
    keep_key: Duration,
}

/// The answer to a delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deleted {
    /// This call deleted it.
    Now,
    /// It was deleted before; what was left of it is deleted now.
    Before,
}

impl Default for Delete {
    fn default() -> Self {
        Self {
            fence: None,
            unchanged_since: None,
            free_key: false,
            keep_key: RetentionSettings::default().free_after,
        }
    }
}

impl Delete {
    /// Deletes an execution, and keeps its key in use for as long as retention would.
    pub fn new() -> Self {
        Self::default()
    }

    /// Applies only if the execution has no entry after this one
    /// ([`Execution::newest_entry`](super::Execution::newest_entry)).
    pub fn fence(mut self, entry: u64) -> Self {
        self.fence = Some(entry);
        self
    }

    /// Applies only if the newest commit of the execution is that of this instant
    /// ([`Row::updated_at`](super::Row::updated_at)).
    pub fn unchanged_since(mut self, instant: Timestamp) -> Self {
        self.unchanged_since = Some(instant);
        self
    }

    /// Makes the key free at once: the next start with it begins another execution.
    pub fn free_key(mut self) -> Self {
        self.free_key = true;
        self
    }

    /// Sets how long after the end its key stays in use, instead of the default of retention.
    pub fn keep_key(mut self, time: Duration) -> Self {
        self.keep_key = time;
        self
    }
}

impl Engine {
    /// Deletes an execution that has ended: its journal, values and archive. A tombstone stays, which
    /// says who deleted it, and keeps its id from being used again. It may be called again, also after
    /// a failure. 1 G; 2 P + 2 lists, + the effects of the last commit once more.
    ///
    /// # Errors
    /// [`EngineError::NotEnded`]: cancel it first; [`EngineError::StaleFence`]; unknown execution; the
    /// store failed (call again).
    pub async fn delete(
        &self,
        eid: ExecutionId,
        how: Delete,
        actor: Actor,
    ) -> Result<Deleted, EngineError> {
        actor.check()?;
        let ports = &self.core.ports;
        for _ in 0..ROUNDS {
            let found = Journal::load(ports, &eid).await?;
            let mut journal = found.ok_or(EngineError::UnknownExecution { eid })?;
            let (now, deadline) = (ports.clock.now(), self.deadline());
            let by: Provenance = actor.clone().into();
            let written = match &journal.head.archived {
                Some(archived) if archived.deleted.is_some() => {
                    if how.free_key && archived.free_at > now {
                        let free = |_: &mut Timestamp, archived: &mut Archived| {
                            archived.free_at = now;
                        };
                        journal.amend_tombstone(ports, free, deadline).await?;
                    }
                    finish::finish(&self.core, &mut journal).await?;
                    return Ok(Deleted::Before);
                }
                _ if how.unchanged_since.is_some_and(|at| at != journal.head.at) => {
                    return Err(EngineError::Changed { eid });
                }
                Some(_) => {
                    let change = |at: &mut Timestamp, archived: &mut Archived| {
                        *at = now.max(*at);
                        (archived.sha256, archived.result) = (None, None);
                        archived.deleted = Some(by);
                        if how.free_key {
                            archived.free_at = archived.free_at.min(now);
                        }
                    };
                    journal.amend_tombstone(ports, change, deadline).await
                }
                None => {
                    check(&journal.head, how.fence)?;
                    run::dispatch_outbox(&self.core, &journal).await?;
                    let tombstone = self.tombstone(&journal.head, &how, by);
                    journal.entomb(ports, tombstone, deadline).await
                }
            };
            match written {
                Ok(()) => {
                    finish::finish(&self.core, &mut journal).await?;
                    return Ok(Deleted::Now);
                }
                Err(CommitError::Lost { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(crate::retention::RetentionError::Contended { eid }.into())
    }

    fn deadline(&self) -> Duration {
        self.core.ports.clock.monotonic() + self.core.settings.ttl
    }

    fn tombstone(&self, head: &Head, how: &Delete, by: Provenance) -> Archived {
        let now = self.core.ports.clock.now();
        let kept = head.at.checked_add(how.keep_key);
        Archived {
            sha256: None,
            commit: head.commit,
            status: head.status,
            result: None,
            free_at: match how.free_key {
                true => now,
                false => kept.unwrap_or(Timestamp::MAX),
            },
            next: None,
            deleted: Some(by),
        }
    }
}

/// Checks that the execution has ended, and has no entries that the caller has not seen.
fn check(head: &Head, fence: Option<u64>) -> Result<(), EngineError> {
    let (eid, status) = (head.record.eid, head.status);
    if !status.is_terminal() || head.lease.is_some() {
        return Err(EngineError::NotEnded { eid, status });
    }
    match fence {
        Some(expected) if head.newest > expected => Err(EngineError::StaleFence {
            eid,
            expected,
            found: head.newest,
        }),
        _ => Ok(()),
    }
}
