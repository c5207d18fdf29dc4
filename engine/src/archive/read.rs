//! Reads an archive.

use super::Archive;
use super::form::corrupt;
use crate::domain::{Digest, ExecutionId, Json};
use crate::journal::Archived;
use crate::keys;
use crate::ports::Ports;
use crate::stored::{self, LoadError};

/// Reads the archive of `eid` and checks it against its tombstone, if there is one. 1 G.
///
/// # Errors
/// The store failed; or the archive cannot be read, differs from the one that the tombstone names,
/// or is missing although it is named.
pub(crate) async fn read(
    ports: &Ports,
    eid: &ExecutionId,
    named: Option<&Archived>,
) -> Result<Option<Archive>, LoadError> {
    let key = keys::archive(eid);
    let Some(found) = ports.read(&key).await? else {
        return match named {
            Some(_) => Err(LoadError::Missing { key }),
            None => Ok(None),
        };
    };
    if named.is_some_and(|named| named.sha256.as_ref() != Some(&Digest::of(&found.body))) {
        let why = "its bytes are not those that its tombstone names".to_owned();
        return Err(corrupt(&key, why));
    }
    Archive::decode(eid, &found.body).map(Some)
}

/// Reads a large value of an archived execution: a separate object, or inlined. 1 G, or 2.
///
/// # Errors
/// The store failed, or the object that contains the value cannot be read.
pub(crate) async fn value(
    ports: &Ports,
    eid: &ExecutionId,
    sha256: &Digest,
) -> Result<Option<Json>, LoadError> {
    let beside = keys::archive_blob(eid, sha256.as_str());
    match stored::resolve_at(ports, beside, sha256).await {
        Ok(json) => Ok(Some(json)),
        Err(LoadError::Missing { .. }) => {
            let archive = read(ports, eid, None).await?;
            Ok(archive.and_then(|archive| archive.value(sha256).cloned()))
        }
        Err(error) => Err(error),
    }
}
