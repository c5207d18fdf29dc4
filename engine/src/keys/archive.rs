//! The keys of archives, of archived values and of the retention cursor.

use super::{Key, Prefix};
use crate::domain::ExecutionId;

/// The first component of archive keys.
pub(crate) const ARCHIVE: &str = "archive/";
/// The first component of the keys of archived values.
pub(crate) const ARCHIVE_BLOB: &str = "archive-blob/";

/// `archive/{sh}/{eid}`: the archive of a finished execution.
#[must_use]
pub fn archive(eid: &ExecutionId) -> Key {
    Key::built(format!("{ARCHIVE}{}/{eid}", eid.shard()))
}

/// `archive-blob/{sh}/{eid}/{sha256}`: a value too large to inline in the archive.
#[must_use]
pub(crate) fn archive_blob(eid: &ExecutionId, sha256: &str) -> Key {
    Key::built(format!("{ARCHIVE_BLOB}{}/{eid}/{sha256}", eid.shard()))
}

/// `archive-blob/{sh}/{eid}/`: all those values of one execution.
#[must_use]
pub(crate) fn archive_blobs(eid: &ExecutionId) -> Prefix {
    Prefix::built(format!("{ARCHIVE_BLOB}{}/{eid}/", eid.shard()))
}

/// `cursors/retention`: the position up to which retention has processed the feed.
#[must_use]
pub fn retention() -> Key {
    Key::built("cursors/retention".to_owned())
}

/// The prefix of all objects of one execution.
#[must_use]
pub fn execution(eid: &ExecutionId) -> Prefix {
    Prefix::built(format!("x/{}/{eid}/", eid.shard()))
}

/// The execution that an archive or an archived value belongs to; `None` for any other key.
#[must_use]
pub fn archived(key: &Key) -> Option<ExecutionId> {
    let text = key.as_str();
    let (rest, blob) = match text.strip_prefix(ARCHIVE) {
        Some(rest) => (rest, false),
        None => (text.strip_prefix(ARCHIVE_BLOB)?, true),
    };
    let mut parts = rest.split('/');
    let (shard, eid) = (parts.next()?, ExecutionId::parse(parts.next()?).ok()?);
    let named = match (blob, parts.next()) {
        (false, None) => true,
        (true, Some(sha256)) => {
            let hex = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
            sha256.len() == 64 && sha256.bytes().all(hex)
        }
        _ => false,
    };
    (named && parts.next().is_none() && shard == eid.shard()).then_some(eid)
}
