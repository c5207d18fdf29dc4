//! Composes an archive from a head and all objects that it names.

use std::collections::BTreeMap;

use super::Archive;
use super::form::corrupt;
use crate::domain::{Digest, Entry, ExecutionId, Json, Payload};
use crate::journal::Journal;
use crate::keys;
use crate::ports::Ports;
use crate::stored::{self, LoadError};

/// Large values up to this size, in bytes, are inlined: each saves a write request, now and for
/// each reader that copies the archive.
const EACH: u64 = 128 << 10;
/// The maximum total of inlined values, in bytes: an archive is read whole.
const ALL: u64 = 4 << 20;

/// A complete archive, with the result digest for its tombstone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Composed {
    pub(crate) archive: Archive,
    /// The digest of the canonical form of the execution's value or failure.
    pub(crate) result: Digest,
}

/// Reads the objects that a finished execution's head names, and copies the values that are too
/// large to inline. 1 G for each segment and each large value, 1 P for each copied value.
///
/// # Errors
/// The store failed, or a part cannot be read: such an execution must not be archived.
pub(crate) async fn compose(
    ports: &Ports,
    journal: &mut Journal,
    concurrency: usize,
) -> Result<Composed, LoadError> {
    let commits = journal.history(ports, concurrency).await?;
    let eid = journal.head.record.eid;
    let mut archive = Archive::of(&journal.head, commits);
    archive
        .check()
        .map_err(|why| corrupt(&journal.head.key(), why))?;
    let mut values = Values {
        ports,
        eid,
        left: ALL,
        inlined: 0,
        seen: BTreeMap::new(),
    };
    values.carry(&mut archive.record.args).await?;
    // Sequentially: each value is read whole, and may be large.
    for commit in &mut archive.commits {
        for entry in &mut commit.entries {
            if let Some(payload) = entry.payload_mut() {
                values.carry(payload).await?;
            }
        }
    }
    archive.inlined = values.inlined;
    let result = match archive.outcome() {
        Some(Entry::Completed { value }) => values.canonical(value),
        Some(Entry::Failed { failure } | Entry::Cancelled { failure }) => {
            Json::of(failure).ok().map(|json| json.digest())
        }
        _ => None,
    };
    let result = result.expect("it was checked, and carried: it has an outcome");
    Ok(Composed { archive, result })
}

/// The large values of an archive in progress, inlined or copied.
struct Values<'a> {
    ports: &'a Ports,
    eid: ExecutionId,
    /// The bytes left for inlined values.
    left: u64,
    inlined: u64,
    seen: BTreeMap<Digest, Seen>,
}

/// The location of a value that was read: inlined or copied.
enum Seen {
    Inline(Json),
    Beside { canonical: Digest },
}

impl Values<'_> {
    async fn carry(&mut self, payload: &mut Payload) -> Result<(), LoadError> {
        let Payload::Blob { sha256, bytes } = &*payload else {
            return Ok(());
        };
        let (sha256, bytes) = (sha256.clone(), *bytes);
        let json = match self.seen.get(&sha256) {
            Some(Seen::Beside { .. }) => return Ok(()),
            Some(Seen::Inline(json)) => json.clone(),
            None => {
                let here = Payload::Blob {
                    sha256: sha256.clone(),
                    bytes,
                };
                stored::resolve(self.ports, &self.eid, &here).await?
            }
        };
        let text = json.as_str();
        // A value whose bytes would change on the way back is stored as an object of its own.
        let exact = !text.contains(['\n', '\r']) && Digest::of(text.as_bytes()) == sha256;
        if exact && bytes <= EACH.min(self.left) {
            self.left -= bytes;
            self.inlined += 1;
            *payload = Payload::Inline(json.clone());
            self.seen.insert(sha256, Seen::Inline(json));
            return Ok(());
        }
        let key = keys::archive_blob(&self.eid, sha256.as_str());
        let body = bytes::Bytes::copy_from_slice(text.as_bytes());
        // An existing object is a success: the key names the bytes.
        let _ = self.ports.create(&key, body).await?;
        let canonical = json.digest();
        self.seen.insert(sha256, Seen::Beside { canonical });
        Ok(())
    }

    fn canonical(&self, payload: &Payload) -> Option<Digest> {
        match payload {
            Payload::Inline(json) => Some(json.digest()),
            Payload::Blob { sha256, .. } => match self.seen.get(sha256)? {
                Seen::Beside { canonical } => Some(canonical.clone()),
                Seen::Inline(json) => Some(json.digest()),
            },
        }
    }
}
