//! The lines of an archive.

use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::{Commit, Digest, Entry, ExecutionId, Json, Payload, Record, Status, is_first};
use crate::journal::Head;
use crate::keys::{self, Key};
use crate::stored::{self, LoadError};

/// The version of the stored form. A reader rejects a newer one by name.
pub(crate) const FORMAT: u32 = 1;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Archive {
    /// The immutable part of the execution. Its input may be a separate object.
    pub(crate) record: Record,
    pub(crate) status: Status,
    /// The number of its continuations and retries.
    pub(crate) generation: u32,
    /// The number of its last commit.
    pub(crate) commit: u64,
    /// The instant of that commit.
    pub(crate) at: Timestamp,
    /// The number of journal entries.
    pub(crate) entries: u64,
    /// The size of the journal in bytes.
    pub(crate) bytes: u64,
    /// For each former segment, the number of the first entry after it.
    pub(crate) segments: Vec<u64>,
    /// The number of inlined large values.
    pub(crate) inlined: u64,
    /// The whole journal. Values may be separate objects.
    pub(crate) commits: Vec<Commit>,
}

#[derive(Serialize, Deserialize)]
struct First {
    format: u32,
    record: Record,
    status: Status,
    #[serde(default, skip_serializing_if = "is_first")]
    generation: u32,
    commit: u64,
    at: Timestamp,
    entries: u64,
    bytes: u64,
    segments: Vec<u64>,
    inlined: u64,
}

/// The last line, the same in every format.
#[derive(Serialize, Deserialize)]
struct Last {
    /// The number of lines before this one.
    lines: usize,
    /// The digest of the bytes before this line.
    sha256: Digest,
}

impl Archive {
    /// Builds the archive of a finished execution from its head and its journal.
    pub(super) fn of(head: &Head, commits: Vec<Commit>) -> Self {
        Self {
            record: head.record.clone(),
            status: head.status,
            generation: head.generation,
            commit: head.commit,
            at: head.at,
            entries: head.entries,
            bytes: head.bytes,
            segments: head.sealed.iter().map(|sealed| sealed.end).collect(),
            inlined: 0,
            commits,
        }
    }

    /// The number of the newest entry that a fence counts.
    pub(crate) fn newest_entry(&self) -> u64 {
        let mut commits = self.commits.iter().rev();
        commits.find_map(Commit::newest).unwrap_or(0)
    }

    /// The entry that ended the execution: its value, or its failure.
    #[must_use]
    pub(crate) fn outcome(&self) -> Option<&Entry> {
        let entries = self
            .commits
            .iter()
            .rev()
            .flat_map(|c| c.entries.iter().rev());
        entries.into_iter().find(|entry| {
            matches!(
                entry,
                Entry::Completed { .. } | Entry::Failed { .. } | Entry::Cancelled { .. }
            )
        })
    }

    /// The large value of this digest, if it is inlined.
    #[must_use]
    pub(crate) fn value(&self, sha256: &Digest) -> Option<&Json> {
        let entries = self.commits.iter().flat_map(|commit| &commit.entries);
        let mut payloads = [&self.record.args]
            .into_iter()
            .chain(entries.filter_map(Entry::payload));
        payloads.find_map(|payload| match payload {
            Payload::Inline(json) => {
                (Digest::of(json.as_str().as_bytes()) == *sha256).then_some(json)
            }
            Payload::Blob { .. } => None,
        })
    }

    #[must_use]
    pub(crate) fn encode(&self) -> Bytes {
        let first = First {
            format: FORMAT,
            record: self.record.clone(),
            status: self.status,
            generation: self.generation,
            commit: self.commit,
            at: self.at,
            entries: self.entries,
            bytes: self.bytes,
            segments: self.segments.clone(),
            inlined: self.inlined,
        };
        let mut body = String::new();
        line(&mut body, &first);
        for commit in &self.commits {
            line(&mut body, commit);
        }
        let last = Last {
            lines: 1 + self.commits.len(),
            sha256: Digest::of(body.as_bytes()),
        };
        line(&mut body, &last);
        body.into()
    }

    /// Decodes the archive of `eid`.
    ///
    /// # Errors
    /// [`LoadError::Newer`] for a form of a later release. [`LoadError::Corrupt`] if the bytes are
    /// not an archive, have changed since they were written, are incomplete, or belong to another
    /// execution.
    pub(crate) fn decode(eid: &ExecutionId, body: &[u8]) -> Result<Self, LoadError> {
        let key = keys::archive(eid);
        let bad = |why: &dyn std::fmt::Display| LoadError::corrupt(&key, why);
        let text = std::str::from_utf8(body).map_err(|e| bad(&e))?;
        let (lines, last) = whole(text).ok_or_else(|| bad(&"it is cut off"))?;
        let last: Last = serde_json::from_str(last).map_err(|e| bad(&e))?;
        // Checked first, so that a corrupt format number is not mistaken for a later release.
        if Digest::of(lines.as_bytes()) != last.sha256 || lines.lines().count() != last.lines {
            return Err(bad(&crate::stored::checksum::BROKEN));
        }
        let mut lines = lines.lines();
        let first = lines.next().unwrap_or_default();
        stored::check_format(&key, first.as_bytes(), FORMAT)?;
        let first: First = serde_json::from_str(first).map_err(|e| bad(&e))?;
        if first.record.eid != *eid {
            return Err(bad(&format!("it is the archive of {}", first.record.eid)));
        }
        let commits = lines.map(|line| serde_json::from_str(line).map_err(|e| bad(&e)));
        let archive = Self {
            record: first.record,
            status: first.status,
            generation: first.generation,
            commit: first.commit,
            at: first.at,
            entries: first.entries,
            bytes: first.bytes,
            segments: first.segments,
            inlined: first.inlined,
            commits: commits.collect::<Result<_, _>>()?,
        };
        archive.check().map_err(|why| bad(&why))?;
        Ok(archive)
    }

    /// Checks that the archive is complete: each commit from the first to the last, each entry, and
    /// an end.
    pub(super) fn check(&self) -> Result<(), String> {
        let mut next = 0;
        for (number, commit) in (1..).zip(&self.commits) {
            if (commit.commit, commit.first) != (number, next) {
                let (found, first) = (commit.commit, commit.first);
                return Err(format!(
                    "commit {number} is {found} and begins with entry {first}, not {next}"
                ));
            }
            next += commit.entries.len() as u64;
        }
        let commits = self.commits.len() as u64;
        if (commits, next) != (self.commit, self.entries) {
            let (commit, entries) = (self.commit, self.entries);
            return Err(format!(
                "it holds {commits} commits of {commit}, {next} entries of {entries}"
            ));
        }
        let ended = matches!(
            self.status,
            Status::Completed | Status::Failed | Status::Cancelled | Status::Terminated
        );
        match ended && self.outcome().is_some() {
            true => Ok(()),
            false => Err(format!("it has not ended: {}", self.status)),
        }
    }
}

/// Splits the text into all lines except the last, and the last without its line end.
fn whole(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_suffix('\n')?;
    let at = text.rfind('\n')? + 1;
    Some((text.get(..at)?, text.get(at..)?))
}

/// Appends one line. JSON text contains a line end only as whitespace between two tokens.
fn line(body: &mut String, value: &impl Serialize) {
    let text = serde_json::to_string(value)
        .expect("an archive holds only values that were serialized before");
    match text.contains(['\n', '\r']) {
        true => body.push_str(&text.replace(['\n', '\r'], " ")),
        false => body.push_str(&text),
    }
    body.push('\n');
}

pub(super) fn corrupt(key: &Key, why: String) -> LoadError {
    LoadError::Corrupt {
        key: key.clone(),
        why,
    }
}
