//! The lines of an archive.

use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::{Commit, Digest, Entry, ExecutionId, Json, Payload, Record, Status};
use crate::journal::Head;
use crate::keys::{self, Key};
use crate::stored::{self, LoadError};

/// Version of the stored form; a reader refuses a newer one by name.
pub(crate) const FORMAT: u32 = 1;

/// A finished execution, as it was archived.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Archive {
    /// What never changed. Its input may stand beside the archive.
    pub(crate) record: Record,
    /// How it ended.
    pub(crate) status: Status,
    /// Its last commit.
    pub(crate) commit: u64,
    /// The instant of that.
    pub(crate) at: Timestamp,
    /// Entries of its journal.
    pub(crate) entries: u64,
    /// Bytes of its journal.
    pub(crate) bytes: u64,
    /// For each segment it had, the number of the first entry behind it.
    pub(crate) segments: Vec<u64>,
    /// How often a large value stands in the lines.
    pub(crate) inlined: u64,
    /// The whole journal. Values may stand beside the archive.
    pub(crate) commits: Vec<Commit>,
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct First {
    format: u32,
    record: Record,
    status: Status,
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
    /// Lines before this one.
    lines: usize,
    /// Digest of the bytes before this line.
    sha256: Digest,
}

impl Archive {
    /// What stands in a finished execution's head, with its journal.
    pub(super) fn of(head: &Head, commits: Vec<Commit>) -> Self {
        Self {
            record: head.record.clone(),
            status: head.status,
            commit: head.commit,
            at: head.at,
            entries: head.entries,
            bytes: head.bytes,
            segments: head.sealed.iter().map(|sealed| sealed.end).collect(),
            inlined: 0,
            commits,
        }
    }

    /// How it ended: its value, or why it has none.
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

    /// The large value of this digest, if it stands in the lines.
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

    /// The bytes.
    #[must_use]
    pub(crate) fn encode(&self) -> Bytes {
        let first = First {
            format: FORMAT,
            record: self.record.clone(),
            status: self.status,
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

    /// Reads the bytes of `eid`'s archive back.
    ///
    /// # Errors
    /// [`LoadError::Newer`] for a form of a later release; [`LoadError::Corrupt`] for what is no
    /// archive, is not as it was written, is not whole, or is another execution's.
    pub(crate) fn decode(eid: &ExecutionId, body: &[u8]) -> Result<Self, LoadError> {
        let key = keys::archive(eid);
        let bad = |why: &dyn std::fmt::Display| LoadError::corrupt(&key, why);
        let text = std::str::from_utf8(body).map_err(|e| bad(&e))?;
        let (lines, last) = whole(text).ok_or_else(|| bad(&"it is cut off"))?;
        let last: Last = serde_json::from_str(last).map_err(|e| bad(&e))?;
        // First, so that a format that changed in the store is not taken for a later release's.
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

    /// Whether it is whole: each commit from the first to the last, each entry, and an end.
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
            Status::Completed | Status::Failed | Status::Cancelled
        );
        match ended && self.outcome().is_some() {
            true => Ok(()),
            false => Err(format!("it has not ended: {}", self.status)),
        }
    }
}

/// All lines but the last, and the last, without its end.
fn whole(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_suffix('\n')?;
    let at = text.rfind('\n')? + 1;
    Some((text.get(..at)?, text.get(at..)?))
}

/// One line. Within JSON, a line's end can only be a blank between two tokens.
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
