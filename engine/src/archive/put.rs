//! Writing an archive: created, or in the place of an earlier one.

use bytes::Bytes;

use super::Archive;
use crate::domain::Digest;
use crate::journal::LoadError;
use crate::keys;
use crate::ports::{BucketError, Expect, Fault, Outcome, Ports};

/// Looks at what is there, each followed by a write at once.
const TURNS: u32 = 8;

/// What became of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub(crate) enum Put {
    /// It is there, and this is the digest of its bytes.
    There(Digest),
    /// A later one is there: this head is no longer the execution's.
    Later,
}

/// Writes `archive`. Its bytes follow from the head, so found equal is done; an earlier one is
/// replaced, a later one never.
///
/// 1 P; where there is one already 1 G, and 1 P more if that is an earlier one.
///
/// # Errors
/// The store failed; or a later release wrote the one that is there.
pub(crate) async fn put(ports: &Ports, archive: &Archive) -> Result<Put, LoadError> {
    let eid = archive.record.eid;
    let (key, body) = (keys::archive(&eid), archive.encode());
    let (mut expect, mut attempt, mut turns) = (Expect::Absent, 0, 0);
    loop {
        let error = match ports.bucket.write(&key, body.clone(), expect.clone()).await {
            Ok(Outcome::Landed(_)) => return Ok(Put::There(Digest::of(&body))),
            Ok(Outcome::Refused | Outcome::Unknown) => {
                let found = ports.read(&key).await?;
                match &found {
                    Some(found) if found.body == body => {
                        return Ok(Put::There(Digest::of(&body)));
                    }
                    Some(found) if is_later(archive, &found.body)? => return Ok(Put::Later),
                    _ => {}
                }
                let now = found.map_or(Expect::Absent, |found| Expect::At(found.version));
                turns += 1;
                if std::mem::replace(&mut expect, now.clone()) != now && turns < TURNS {
                    continue; // what is there is not what was expected
                }
                BucketError::new(Fault::Unavailable, "write", &key)
                    .because("not answered, or refused wrongly, several times")
            }
            Err(error) => error,
        };
        ports.retry(&mut attempt, error).await?;
    }
}

/// Whether what is there is of a later head. What cannot be read is worth less than what can.
fn is_later(mine: &Archive, there: &Bytes) -> Result<bool, LoadError> {
    let there = match Archive::decode(&mine.record.eid, there) {
        Ok(there) => there,
        Err(error @ LoadError::Newer { .. }) => return Err(error),
        Err(_) => return Ok(false),
    };
    let age = |archive: &Archive| (archive.record.created_at, archive.commit);
    Ok(age(&there) > age(mine))
}
