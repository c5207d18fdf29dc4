//! Writes an archive: creates it, or replaces an earlier one.

use bytes::Bytes;

use super::Archive;
use crate::domain::Digest;
use crate::keys;
use crate::ports::Ports;
use crate::stored::{self, Amended, Change, LoadError};

#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub(crate) enum Put {
    /// The archive exists; this is the digest of its bytes.
    There(Digest),
    /// A later archive exists: the execution has a newer head.
    Later,
}

/// Writes `archive`. Its bytes follow from the head, so *found equal* is a success. An earlier
/// archive is replaced, a later one never.
///
/// 1 P; if an archive exists already 1 G, and 1 P more if that is an earlier one.
///
/// # Errors
/// The store failed; or a later release wrote the existing archive.
pub(crate) async fn put(ports: &Ports, archive: &Archive) -> Result<Put, LoadError> {
    let (key, body) = (keys::archive(&archive.record.eid), archive.encode());
    let amended = stored::amend(ports, &key, None, |seen| {
        Ok(match seen {
            Some(found) if found.body == body => Change::Done(Put::There(Digest::of(&body))),
            Some(found) if is_later(archive, &found.body)? => Change::Done(Put::Later),
            _ => Change::Write(body.clone()),
        })
    });
    Ok(match amended.await? {
        Amended::Written(_) => Put::There(Digest::of(&body)),
        Amended::Done(put, _) => put,
    })
}

/// True if the existing archive is of a later head. An unreadable archive is replaced by a readable
/// one.
fn is_later(mine: &Archive, there: &Bytes) -> Result<bool, LoadError> {
    let there = match Archive::decode(&mine.record.eid, there) {
        Ok(there) => there,
        Err(error @ LoadError::Newer { .. }) => return Err(error),
        Err(_) => return Ok(false),
    };
    let age = |archive: &Archive| (archive.record.created_at, archive.commit);
    Ok(age(&there) > age(mine))
}
