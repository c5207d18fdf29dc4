//! Waits for the end of an execution, and reads its result.

use std::time::Duration;

use futures::FutureExt;
use serde::de::DeserializeOwned;

use super::past::{Found, end_of};
use super::{Engine, EngineError};
use crate::domain::{Entry, ExecutionId, Failure, Json, Payload, Status};
use crate::ports::Backoff;
use crate::stored::{self, LoadError};

/// Pauses between reads of the head.
const POLL: Backoff = Backoff::new(Duration::from_millis(2), Duration::from_secs(1));
/// Pauses if a worker in this process reports the ends of its executions.
const POLL_BESIDE_WORKER: Backoff =
    Backoff::new(Duration::from_millis(100), Duration::from_secs(1));

/// How an execution ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Completed, failed or cancelled.
    pub status: Status,
    /// Its value, or the failure.
    pub value: Result<Json, Failure>,
}

impl Outcome {
    /// Returns the value as a `T`; a failure is returned unchanged.
    ///
    /// # Errors
    /// The failure, or one of kind `value` if the value is not a `T`.
    pub fn get<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        let json = self.value.as_ref().map_err(Clone::clone)?;
        json.get()
            .map_err(|e| Failure::new(crate::domain::kind::VALUE, e.to_string()))
    }
}

impl Engine {
    /// Returns how an execution ended; waits for the end up to `wait`. 1 G for each read of the
    /// head, + 1 G for a value over 32 KiB, + 1 G if it is archived. The head is read again after
    /// 2 ms, or after 100 ms if a worker in this process reports the ends that it commits, then
    /// at growing intervals of up to one second.
    ///
    /// # Errors
    /// [`EngineError::NotYet`] if it has not ended by then; unknown execution; the store failed,
    /// or an object cannot be read.
    pub async fn result(&self, eid: ExecutionId, wait: Duration) -> Result<Outcome, EngineError> {
        let clock = &self.core.ports.clock;
        let end = clock.monotonic() + wait;
        // Registered before the first read, so that an end between read and wait is reported.
        let mut over = self.core.completion_waiters.of(eid);
        let poll = match self.core.completion_waiters.has_worker() {
            true => POLL_BESIDE_WORKER,
            false => POLL,
        };
        let mut polls = 0;
        let mut looked = false;
        loop {
            let mut journal = match self.find(eid).await? {
                Found::Here(journal) => journal,
                Found::Archived(archive) => {
                    let end = archive.outcome().cloned();
                    return self.outcome(&eid, archive.status, end).await;
                }
            };
            let status = journal.head.status;
            if status.is_terminal() {
                let entries = journal.tail_entries()?.into_iter().map(|(_, entry)| entry);
                let mut ended = end_of(entries);
                if ended.is_none() {
                    // Commands that were refused since have moved it into a segment.
                    let (ports, concurrency) = (&self.core.ports, self.core.settings.concurrency);
                    let commits = journal.read(ports, concurrency).await?.commits.into_iter();
                    let entries: Vec<_> = commits.flat_map(|commit| commit.entries).collect();
                    ended = end_of(entries.into_iter());
                }
                match self.outcome(&eid, status, ended).await {
                    // It may have been archived since its head was read.
                    Err(EngineError::Load(LoadError::Missing { .. }))
                        if !std::mem::replace(&mut looked, true) =>
                    {
                        continue;
                    }
                    outcome => return outcome,
                }
            }
            let left = end.saturating_sub(clock.monotonic());
            if left.is_zero() {
                return Err(EngineError::NotYet { eid, status });
            }
            polls += 1;
            futures::select_biased! {
                () = over.notified().fuse() => over = self.core.completion_waiters.of(eid),
                () = clock.sleep(poll.after(polls).min(left)).fuse() => {}
            }
        }
    }

    async fn outcome(
        &self,
        eid: &ExecutionId,
        status: Status,
        end: Option<Entry>,
    ) -> Result<Outcome, EngineError> {
        let value = match end {
            Some(Entry::Completed { value }) => Ok(self.value(eid, &value).await?),
            Some(Entry::Failed { failure } | Entry::Cancelled { failure }) => Err(failure),
            _ => {
                let why = "it is terminal without an outcome".to_owned();
                let key = crate::keys::head(eid);
                return Err(LoadError::Corrupt { key, why }.into());
            }
        };
        Ok(Outcome { status, value })
    }

    /// Returns a value from an execution's journal. 1 G if it is a blob, and 1 or 2 more once the
    /// execution is archived; else none.
    ///
    /// # Errors
    /// The store failed, or the blob cannot be read.
    pub async fn value(&self, eid: &ExecutionId, payload: &Payload) -> Result<Json, EngineError> {
        let missing = match stored::resolve(&self.core.ports, eid, payload).await {
            Err(error @ LoadError::Missing { .. }) => error,
            other => return Ok(other?),
        };
        let Payload::Blob { sha256, .. } = payload else {
            return Err(missing.into());
        };
        let archived = self.archived_value(eid, sha256).await?;
        archived.ok_or_else(|| missing.into())
    }
}
