//! Sealed segments: the older part of a journal, moved out of the head.
//!
//! (1) Create `log/{n:06}-{sha16}` from whole commits of the tail, merged with the last segment
//! while that one is small. (2) The commit that follows names it in the head.
//!
//! - **\[R\] A7** A segment is create-only and its key holds its digest, so a stale writer's
//!   segment is a different object and cannot replace one that a head names.
//! - Entries with undispatched effects are never sealed: dispatch reads the head alone.
//! - **Crash** between (1) and (2), or (2) refused: an unreferenced segment, which is deleted with
//!   the prefix.
//!
//! Price: 1 P for each 64 KiB of journal.

use bytes::Bytes;
use std::time::Duration;

use futures::{StreamExt, stream};
use serde::{Deserialize, Serialize};

use super::head::{FORMAT, Head, Item, Raw, Sealed};
use crate::domain::{Commit, Digest, ExecutionId};
use crate::keys;
use crate::ports::{BucketError, Ports};
use crate::stored::{self, LoadError};

/// The approximate size of one segment's entry in a head, in bytes.
pub(super) const NAMED: usize = 144;

#[derive(Debug, Serialize, Deserialize)]
struct Segment {
    format: u32,
    eid: ExecutionId,
    commits: Vec<Raw>,
}

pub(super) struct Cut {
    sealed: Vec<Sealed>,
    tail: Vec<Raw>,
    open: Vec<Raw>,
}

impl Cut {
    pub(super) fn apply(self, head: &mut Head, open: &mut Vec<Raw>) {
        head.sealed = self.sealed;
        head.tail = self.tail;
        *open = self.open;
    }
}

/// Creates a segment of all commits that can be sealed; `None` if there are none. 1 P.
pub(super) async fn seal(
    (head, open): (&Head, &[Raw]),
    ports: &Ports,
    undispatched: &[Item],
    target: usize,
    until: Duration,
) -> Result<Option<Cut>, BucketError> {
    if head.tail.is_empty() {
        return Ok(None);
    }
    let whole = sealable(head, undispatched);
    if whole == 0 {
        return Ok(None);
    }
    let (old, rest) = head.tail.split_at(whole);
    let mut sealed = head.sealed.clone();
    let mut commits = Vec::new();
    if !open.is_empty() && sealed.last().is_some_and(|last| last.bytes < target as u64) {
        sealed.pop();
        commits.extend_from_slice(open);
    }
    commits.extend_from_slice(old);
    let end = rest.first().map_or(head.entries, |raw| raw.first);
    let first = commits.first().map_or(end, |raw| raw.first);
    let body = encode(head.record.eid, &commits);
    let number = u32::try_from(sealed.len()).unwrap_or(u32::MAX);
    let digest = Digest::of(&body);
    let key = keys::segment(&head.record.eid, number, digest.sha16());
    let bytes = body.len() as u64;
    // An existing object is a success: the key names the bytes.
    let _ = ports.create_until(&key, body, Some(until)).await?;
    sealed.push(Sealed {
        key,
        first,
        end,
        bytes,
    });
    let open = if bytes < target as u64 {
        commits
    } else {
        Vec::new()
    };
    Ok(Some(Cut {
        sealed,
        tail: rest.to_vec(),
        open,
    }))
}

/// Returns how many commits of the tail can be sealed: those before the first undispatched entry.
fn sealable(head: &Head, undispatched: &[Item]) -> usize {
    let fence = undispatched
        .iter()
        .filter_map(|item| match item {
            Item::Entry(number) => Some(*number),
            Item::Named(_) => None,
        })
        .min()
        .unwrap_or(u64::MAX);
    let ends = head
        .tail
        .iter()
        .skip(1)
        .map(|raw| raw.first)
        .chain([head.entries]);
    ends.take_while(|end| *end <= fence).count()
}

/// Reads segments concurrently and returns them in order: each segment, or the reason why it cannot
/// be read. 1 G each.
pub(super) async fn each(
    ports: &Ports,
    eid: &ExecutionId,
    sealed: &[Sealed],
    concurrency: usize,
) -> Vec<Result<Vec<Raw>, LoadError>> {
    let reads: Vec<_> = sealed
        .iter()
        .map(|segment| one(ports, eid, segment))
        .collect();
    stream::iter(reads)
        .buffered(concurrency.max(1))
        .collect()
        .await
}

/// Reads a segment, decoded. 1 G.
pub(super) async fn commits(
    ports: &Ports,
    eid: &ExecutionId,
    sealed: &Sealed,
) -> Result<Vec<Commit>, LoadError> {
    let raws = one(ports, eid, sealed).await?;
    super::chain(&sealed.key, &raws, sealed.first, sealed.end)
}

async fn one(ports: &Ports, eid: &ExecutionId, sealed: &Sealed) -> Result<Vec<Raw>, LoadError> {
    match ports.read(&sealed.key).await? {
        Some(found) => decode(eid, sealed, &found.body),
        None => Err(LoadError::Missing {
            key: sealed.key.clone(),
        }),
    }
}

pub(crate) fn encode(eid: ExecutionId, commits: &[Raw]) -> Bytes {
    let segment = Segment {
        format: FORMAT,
        eid,
        commits: commits.to_vec(),
    };
    serde_json::to_vec(&segment)
        .expect("a segment holds only text that was JSON before")
        .into()
}

/// Decodes the bytes of a segment that the head of `eid` names.
///
/// # Errors
/// [`LoadError::Newer`] for a form of a later release. [`LoadError::Corrupt`] if the bytes do not
/// match the key, or are not the named segment of this execution.
pub(crate) fn decode(
    eid: &ExecutionId,
    sealed: &Sealed,
    body: &[u8],
) -> Result<Vec<Raw>, LoadError> {
    let key = &sealed.key;
    let corrupt = |why: String| LoadError::corrupt(key, why);
    let named = key.as_str().rsplit_once('-').map(|(_, digest)| digest);
    let named = named == Some(Digest::of(body).sha16());
    if !named {
        return Err(corrupt("its bytes are not those its key names".to_owned()));
    }
    stored::check_format(key, body, FORMAT)?;
    let segment: Segment = serde_json::from_slice(body).map_err(|e| corrupt(e.to_string()))?;
    if segment.eid != *eid {
        return Err(corrupt(format!("it belongs to {}", segment.eid)));
    }
    if segment
        .commits
        .first()
        .is_none_or(|raw| raw.first != sealed.first)
    {
        return Err(corrupt(format!(
            "it does not begin with entry {}",
            sealed.first
        )));
    }
    Ok(segment.commits)
}
