//! Reads one execution.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::past::Found;
use super::{Engine, EngineError};
use crate::archive::Archive;
use crate::domain::{Blocked, Commit, Entry, ExecutionId, Record, Status, is_first};
use crate::journal::{Journal, Lease};
use crate::keys::{self, Key, TimerKey};
use crate::stored::Document as _;

/// An execution, as described by its head.
#[derive(Debug, Clone, Serialize)]
pub struct Execution {
    /// The immutable part.
    pub record: Record,
    /// Its current status.
    pub status: Status,
    /// Number of its newest commit.
    pub commit: u64,
    /// The number of its continuations and retries.
    #[serde(skip_serializing_if = "is_first")]
    pub generation: u32,
    /// The instant of that commit.
    pub at: Timestamp,
    /// The current lease, if any.
    pub lease: Option<Lease>,
    /// Its earliest deadline.
    pub timer: Option<Timestamp>,
    /// Leases since the last new outcome.
    pub crash_count: u32,
    /// Requests that it has made today, by the price list; 0 once it is archived.
    pub requests_today: u64,
    /// Requests that it may make in a day.
    pub budget: u64,
    /// Entries so far.
    pub entries: u64,
    /// The number of its newest entry, for a fence: suspensions, resumptions and refusals do not count.
    pub newest_entry: u64,
    /// Bytes of journal so far.
    pub journal_bytes: u64,
    /// Bytes of the head itself; 0 once the execution is archived.
    pub head_bytes: u64,
    /// Number of segments.
    pub segments: usize,
    /// Why it is blocked, if it is.
    pub blocked: Option<Blocked>,
    /// The archive that contains all this, once the execution is archived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<Key>,
}

/// Part of a journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct JournalPage {
    /// The execution.
    pub record: Record,
    /// Complete commits.
    pub commits: Vec<Commit>,
    /// The number of the next commit to request, if there are more.
    pub next: Option<u64>,
}

impl Engine {
    /// Returns the status of an execution: `archived` once it is archived. 1 G.
    ///
    /// # Errors
    /// Unknown execution; the store failed, or the head cannot be read.
    pub async fn status(&self, eid: ExecutionId) -> Result<Status, EngineError> {
        let found = Journal::load(&self.core.ports, &eid).await?;
        let journal = found.ok_or(EngineError::UnknownExecution { eid })?;
        Ok(journal.head.status)
    }

    /// Returns an execution, as described by its head, or by its archive once it is archived.
    /// 1 G, and 1 G for each segment if the reason for its block is not in the head any more; 2 G
    /// if it is archived.
    ///
    /// # Errors
    /// As [`Engine::status`].
    pub async fn execution(&self, eid: ExecutionId) -> Result<Execution, EngineError> {
        let mut journal = match self.find(eid).await? {
            Found::Here(journal) => journal,
            Found::Archived(archive) => return Ok(archived(*archive, self.core.settings.budget)),
        };
        let why = |entry| match entry {
            Entry::Blocked(why) => Some(why),
            _ => None,
        };
        let mut blocked = None;
        if journal.head.status == Status::Blocked {
            let tail = journal.tail_entries()?.into_iter().rev();
            blocked = tail.map(|(_, entry)| entry).find_map(why);
            if blocked.is_none() {
                // Mail that was absorbed since has moved the entry into a segment.
                let (ports, concurrency) = (&self.core.ports, self.core.settings.concurrency);
                let commits = journal.read(ports, concurrency).await?.commits.into_iter();
                let entries = commits
                    .rev()
                    .flat_map(|commit| commit.entries.into_iter().rev());
                blocked = entries.into_iter().find_map(why);
            }
        }
        let head = journal.head;
        Ok(Execution {
            head_bytes: head.encode().len() as u64,
            blocked,
            status: head.status,
            commit: head.commit,
            at: head.at,
            lease: head.lease,
            timer: head.timer.as_ref().and_then(TimerKey::parse).map(|a| a.due),
            crash_count: head.crash_count,
            requests_today: head.budget.spent(self.core.ports.clock.now()),
            budget: head.budget.max.unwrap_or(self.core.settings.budget),
            entries: head.entries,
            newest_entry: head.newest,
            generation: head.generation,
            journal_bytes: head.bytes,
            segments: head.sealed.len(),
            record: head.record,
            archive: None,
        })
    }

    /// Returns the commits from number `from` on (the first is 1), at most `limit`. 1 G, + 1 G
    /// for each segment that contains later commits; 2 G if the execution is archived.
    ///
    /// # Errors
    /// As [`Engine::status`]; a segment is missing or broken.
    pub async fn journal(
        &self,
        eid: ExecutionId,
        from: u64,
        limit: usize,
    ) -> Result<JournalPage, EngineError> {
        let history = self.history(eid, from).await?;
        let mut wanted = history
            .commits
            .into_iter()
            .filter(|commit| commit.commit >= from);
        let commits: Vec<Commit> = wanted.by_ref().take(limit).collect();
        Ok(JournalPage {
            record: history.record,
            commits,
            next: wanted.next().map(|commit| commit.commit),
        })
    }
}

fn archived(archive: Archive, budget: u64) -> Execution {
    let budget = archive.record.budget.unwrap_or(budget);
    let newest = archive.newest_entry();
    Execution {
        archive: Some(keys::archive(&archive.record.eid)),
        record: archive.record,
        status: archive.status,
        commit: archive.commit,
        generation: archive.generation,
        at: archive.at,
        lease: None,
        timer: None,
        crash_count: 0,
        requests_today: 0,
        budget,
        entries: archive.entries,
        newest_entry: newest,
        journal_bytes: archive.bytes,
        head_bytes: 0,
        segments: archive.segments.len(),
        blocked: None,
    }
}
