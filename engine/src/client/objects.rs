//! Reads every object that an execution names.

use std::collections::BTreeSet;

use super::{Engine, EngineError, Finding};
use crate::archive;
use crate::domain::{Commit, Digest, Entry, ExecutionId, Payload};
use crate::journal::{Archived, Earlier, Journal, Read};
use crate::keys;
use crate::ports::Ports;
use crate::stored::{self, LoadError};

impl Engine {
    /// Finds missing or broken objects among those that a head names, directly or indirectly. 1 G
    /// for each segment and each large value. Also returns the commits that can be read.
    pub(super) async fn broken(
        &self,
        journal: &mut Journal,
    ) -> Result<(Vec<Finding>, Vec<Commit>), EngineError> {
        let (ports, concurrency) = (&self.core.ports, self.core.settings.concurrency);
        let eid = journal.head.record.eid;
        if let Some(archived) = &journal.head.archived
            && archived.deleted.is_none()
        {
            let broken = self.broken_archive(&eid, archived).await;
            let free = journal.head.is_free(ports.clock.now());
            // A rule of the bucket may delete archives once their keys are free.
            let gone = |error: &LoadError| free && matches!(error, LoadError::Missing { .. });
            let found = broken
                .into_iter()
                .filter(|error| !gone(error))
                .map(|error| finding(journal, error));
            return Ok((found.collect::<Result<_, _>>()?, Vec::new()));
        }
        let (mut found, mut commits) = (Vec::new(), Vec::new());
        match journal.read(ports, concurrency).await {
            Ok(Read {
                commits: whole,
                broken,
            }) => {
                commits = whole;
                for error in broken {
                    found.push(finding(journal, error)?);
                }
                let older = earlier(ports, &eid, &mut commits).await;
                if let Err(error) = older {
                    found.push(finding(journal, error)?);
                }
            }
            Err(error) => found.push(finding(journal, error)?),
        }
        let entries = commits.iter().flat_map(|commit| &commit.entries);
        let payloads = entries.filter_map(Entry::payload);
        let (mut seen, args) = (BTreeSet::new(), journal.head.record.args.clone());
        // Sequential: each is read completely, and may be large.
        for payload in [&args].into_iter().chain(payloads) {
            if is_new(payload, &mut seen)
                && let Err(error) = stored::resolve(ports, &eid, payload).await
            {
                found.push(finding(journal, error)?);
            }
        }
        Ok((found, commits))
    }

    /// Does the same for a tombstone. 1 G, + 1 G for each value outside the archive.
    async fn broken_archive(&self, eid: &ExecutionId, archived: &Archived) -> Vec<LoadError> {
        let ports = &self.core.ports;
        let archive = match archive::read(ports, eid, Some(archived)).await {
            Ok(Some(archive)) => archive,
            // A named archive that does not exist is an error.
            Ok(None) => return Vec::new(),
            Err(error) => return vec![error],
        };
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        let entries = archive.commits.iter().flat_map(|commit| &commit.entries);
        let payloads = entries.filter_map(Entry::payload);
        for payload in [&archive.record.args].into_iter().chain(payloads) {
            if let Payload::Blob { sha256, .. } = payload
                && is_new(payload, &mut seen)
            {
                let key = keys::archive_blob(eid, sha256.as_str());
                found.extend(stored::resolve_at(ports, key, sha256).await.err());
            }
        }
        found
    }
}

/// Adds the commits of earlier parts, up to the first segment that cannot be read. 1 G for each segment.
async fn earlier(
    ports: &Ports,
    eid: &ExecutionId,
    commits: &mut Vec<Commit>,
) -> Result<(), LoadError> {
    let mut earlier = Earlier::of(eid, commits)?;
    while let Some(more) = earlier.next(ports, eid).await? {
        commits.extend(more);
        commits.sort_by_key(|commit| commit.commit);
    }
    Ok(())
}

/// Turns an error into a finding that names the object. A store failure is not a finding.
pub(super) fn finding(journal: &Journal, error: LoadError) -> Result<Finding, EngineError> {
    let eid = journal.head.record.eid;
    Ok(match error {
        LoadError::Bucket(error) => return Err(error.into()),
        LoadError::Newer { key, format, .. } => Finding::Newer { key, format },
        LoadError::Corrupt { key, why } if key == journal.head.key() => {
            Finding::Corrupt { key, why }
        }
        LoadError::Corrupt { key, why } => Finding::Broken { eid, key, why },
        LoadError::Missing { key } => Finding::Broken {
            eid,
            key,
            why: "it is missing".to_owned(),
        },
    })
}

/// Returns whether it is a blob that was not read yet.
fn is_new(payload: &Payload, seen: &mut BTreeSet<Digest>) -> bool {
    match payload {
        Payload::Inline(_) => false,
        Payload::Blob { sha256, .. } => seen.insert(sha256.clone()),
    }
}
