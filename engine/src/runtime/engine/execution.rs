//! Looking at one execution.

use jiff::Timestamp;
use serde::Serialize;

use super::{Engine, EngineError};
use crate::domain::{Blocked, Commit, Eid, Entry, Record, Status};
use crate::journal::{Journal, Owner};

/// An execution, as its head tells.
#[derive(Debug, Clone, Serialize)]
pub struct Execution {
    /// What never changes.
    pub record: Record,
    /// Where it stands.
    pub status: Status,
    /// Its newest commit.
    pub commit: u64,
    /// The instant of that.
    pub at: Timestamp,
    /// Whose run is at it.
    pub owner: Option<Owner>,
    /// Its earliest deadline.
    pub alarm: Option<Timestamp>,
    /// Ownerships since the last new outcome.
    pub stalls: u32,
    /// Entries so far.
    pub entries: u64,
    /// Bytes of journal so far.
    pub journal_bytes: u64,
    /// Bytes of the head itself.
    pub head_bytes: u64,
    /// Segments.
    pub segments: usize,
    /// Why it is parked, if it is.
    pub blocked: Option<Blocked>,
}

/// Part of a journal.
#[derive(Debug, Clone, Serialize)]
pub struct JournalPage {
    /// Whole commits.
    pub commits: Vec<Commit>,
    /// The commit to ask for next, if there are more.
    pub next: Option<u64>,
}

impl Engine {
    /// Where an execution stands. 1 G.
    ///
    /// # Errors
    /// Unknown execution; the store failed, or the head cannot be read.
    pub async fn status(&self, eid: Eid) -> Result<Status, EngineError> {
        Ok(self.journal_of(eid).await?.head.status)
    }

    /// An execution, as its head tells. 1 G, and 1 G for each segment where why it is blocked does
    /// not stand in the head any more.
    ///
    /// # Errors
    /// As [`Engine::status`].
    pub async fn execution(&self, eid: Eid) -> Result<Execution, EngineError> {
        let mut journal = self.journal_of(eid).await?;
        let why = |entry| match entry {
            Entry::Blocked(why) => Some(why),
            _ => None,
        };
        let mut blocked = None;
        if journal.head.status == Status::Blocked {
            let tail = journal.tail_entries()?.into_iter().rev();
            blocked = tail.map(|(_, entry)| entry).find_map(why);
            if blocked.is_none() {
                // Mail that was absorbed since has sealed it.
                let (doors, fan) = (&self.core.doors, self.core.settings.fan);
                let commits = journal.read(doors, fan).await?.commits.into_iter();
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
            owner: head.owner,
            alarm: head
                .alarm
                .as_ref()
                .and_then(crate::keys::AlarmKey::parse)
                .map(|a| a.due),
            stalls: head.stalls,
            entries: head.entries,
            journal_bytes: head.bytes,
            segments: head.sealed.len(),
            record: head.record,
        })
    }

    /// Commits from number `from` on (the first is 1), at most `limit`. 1 G, + 1 G for each
    /// segment that holds later commits.
    ///
    /// # Errors
    /// As [`Engine::status`]; a segment is missing or broken.
    pub async fn journal(
        &self,
        eid: Eid,
        from: u64,
        limit: usize,
    ) -> Result<JournalPage, EngineError> {
        let mut journal = self.journal_of(eid).await?;
        let doors = &self.core.doors;
        let all = journal.since(doors, from, self.core.settings.fan).await?;
        let mut wanted = all.into_iter().filter(|commit| commit.commit >= from);
        let commits: Vec<Commit> = wanted.by_ref().take(limit).collect();
        Ok(JournalPage {
            commits,
            next: wanted.next().map(|commit| commit.commit),
        })
    }

    /// The whole journal. 1 G, + 1 G for each segment.
    pub(super) async fn commits(&self, eid: Eid) -> Result<Vec<Commit>, EngineError> {
        let mut journal = self.journal_of(eid).await?;
        let fan = self.core.settings.fan;
        Ok(journal.history(&self.core.doors, fan).await?)
    }

    pub(super) async fn journal_of(&self, eid: Eid) -> Result<Journal, EngineError> {
        Journal::load(&self.core.doors, &eid)
            .await?
            .ok_or(EngineError::UnknownExecution { eid })
    }
}
