//! An execution with its journal, read from its head or from its archive.

use super::{Engine, EngineError};
use crate::archive::{self, Archive};
use crate::domain::{Commit, Digest, Entry, ExecutionId, Json, Record, Status};
use crate::journal::{Archived, Journal};
use crate::stored::LoadError;
use jiff::Timestamp;

/// The place where an execution is stored.
pub(super) enum Found {
    /// It has a head.
    Here(Box<Journal>),
    /// It is archived.
    Archived(Box<Archive>),
}

/// The description and journal of an execution.
pub(super) struct History {
    pub(super) record: Record,
    /// Its current status; how it ended, once it is archived.
    pub(super) status: Status,
    /// The instant of its last commit.
    pub(super) at: Timestamp,
    /// For each segment, the number of the first entry after it.
    pub(super) segments: Vec<u64>,
    /// Number of large values that were moved into the journal when it was archived.
    pub(super) inlined: u64,
    pub(super) commits: Vec<Commit>,
}

impl Engine {
    /// Finds an execution. 1 G, + 1 G for the archive if it was archived.
    pub(super) async fn find(&self, eid: ExecutionId) -> Result<Found, EngineError> {
        let ports = &self.core.ports;
        let found = Journal::load(ports, &eid).await?;
        let journal = found.ok_or(EngineError::UnknownExecution { eid })?;
        match &journal.head.archived {
            None => Ok(Found::Here(Box::new(journal))),
            Some(Archived {
                deleted: Some(by), ..
            }) => Err(EngineError::Deleted {
                eid,
                by: by.actor.id.clone(),
            }),
            Some(named) => match archive::read(ports, &eid, Some(named)).await? {
                Some(archive) => Ok(Found::Archived(Box::new(archive))),
                None => Err(EngineError::UnknownExecution { eid }),
            },
        }
    }

    /// Returns the commits from number `from` on, possibly with earlier ones, and the execution's
    /// description. 1 G, + 1 G for each segment that contains some of them; or 2 G if it was
    /// archived.
    pub(super) async fn history(
        &self,
        eid: ExecutionId,
        from: u64,
    ) -> Result<History, EngineError> {
        let (ports, concurrency) = (&self.core.ports, self.core.settings.concurrency);
        let mut looked = false;
        loop {
            let mut journal = match self.find(eid).await? {
                Found::Archived(archive) => return Ok((*archive).into()),
                Found::Here(journal) => journal,
            };
            match journal.since(ports, from, concurrency).await {
                Ok(commits) => {
                    let head = journal.head;
                    return Ok(History {
                        status: head.status,
                        at: head.at,
                        segments: head.sealed.iter().map(|sealed| sealed.end).collect(),
                        inlined: 0,
                        record: head.record,
                        commits,
                    });
                }
                // It may have been archived since its head was read.
                Err(LoadError::Missing { .. }) if !std::mem::replace(&mut looked, true) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Reads a large value of an execution that may have been archived since the reference was
    /// read.
    pub(super) async fn archived_value(
        &self,
        eid: &ExecutionId,
        sha256: &Digest,
    ) -> Result<Option<Json>, EngineError> {
        Ok(archive::value(&self.core.ports, eid, sha256).await?)
    }
}

impl From<Archive> for History {
    fn from(archive: Archive) -> Self {
        Self {
            record: archive.record,
            status: archive.status,
            at: archive.at,
            segments: archive.segments,
            inlined: archive.inlined,
            commits: archive.commits,
        }
    }
}

/// Returns the entry that ended an execution, from a finished journal.
pub(super) fn end_of(mut entries: impl DoubleEndedIterator<Item = Entry>) -> Option<Entry> {
    entries.rfind(|entry| {
        matches!(
            entry,
            Entry::Completed { .. } | Entry::Failed { .. } | Entry::Cancelled { .. }
        )
    })
}
