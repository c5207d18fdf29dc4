//! The journal of one execution: its head, its commits, its segments, its blobs.
//!
//! One object is authoritative: every change of an execution is one compare-and-swap of its head
//! (I2). The state that does not fit into the head is stored in immutable segments and blobs that
//! the head names.

mod commit;
mod earlier;
mod error;
mod head;
mod part;
mod price;
mod reading;
mod report;
pub(crate) mod segment;
#[cfg(test)]
mod tests;
mod tombstone;

use std::collections::BTreeSet;

pub(crate) use commit::Draft;
pub(crate) use earlier::{Earlier, Seen, retired};
pub use error::CommitError;
#[cfg(any(test, feature = "testing"))]
pub(crate) use head::FORMAT;
pub use head::Lease;
pub(crate) use head::{Head, Item, Named, News, Raw, Sealed};
pub(crate) use part::{Carried, History};
pub use price::Price;
pub(crate) use reading::{Line, lines, void};
pub(crate) use tombstone::Archived;

use crate::domain::{Commit, Entry, ExecutionId, MessageId, Record};
use crate::keys::{self, Key};
use crate::ports::{BucketError, Created, Ports, Version};
use crate::stored::{Document, LoadError};

/// A head that was read, with the state that a run needs to continue from it.
#[derive(Debug)]
pub(crate) struct Journal {
    /// The head as read, or as committed last.
    pub(crate) head: Head,
    version: Version,
    /// The commits of the last segment, while it may still be merged.
    open: Vec<Raw>,
}

/// The readable part of a journal.
#[derive(Debug)]
pub(crate) struct Read {
    /// The commits that can be read, in order.
    pub(crate) commits: Vec<Commit>,
    /// Segments that are missing or broken: [`LoadError::Missing`], [`LoadError::Corrupt`].
    pub(crate) broken: Vec<LoadError>,
}

impl Journal {
    /// Reads the head of `eid`. 1 G.
    ///
    /// # Errors
    /// [`LoadError`]: the store failed, or the object is not a head that this release can read.
    pub(crate) async fn load(ports: &Ports, eid: &ExecutionId) -> Result<Option<Self>, LoadError> {
        let key = keys::head(eid);
        let Some(found) = ports.read(&key).await? else {
            return Ok(None);
        };
        let head = Head::decode(&key, eid, &found.body)?;
        Ok(Some(Self {
            head,
            version: found.version,
            open: Vec::new(),
        }))
    }

    /// A copy of the journal without the state that only an active run needs.
    pub(crate) fn at_rest(&self) -> Self {
        Self {
            head: self.head.clone(),
            version: self.version.clone(),
            open: Vec::new(),
        }
    }

    /// Creates the head of a new execution. 1 P, + 1 G if a head exists already.
    ///
    /// # Errors
    /// The store failed.
    pub(crate) async fn begin(ports: &Ports, record: Record) -> Result<Created, BucketError> {
        let head = Head::new(record, ports.entropy.nonce());
        ports.create(&head.key(), head.encode()).await
    }

    /// All commits from the first on, also those of earlier parts. 1 G for each segment.
    ///
    /// # Errors
    /// As [`Journal::read`]; also fails for the first segment that is missing or broken.
    pub(crate) async fn history(
        &mut self,
        ports: &Ports,
        concurrency: usize,
    ) -> Result<Vec<Commit>, LoadError> {
        let Read {
            mut commits,
            broken,
        } = self.read(ports, concurrency).await?;
        if let Some(error) = broken.into_iter().next() {
            return Err(error);
        }
        let eid = &self.head.record.eid;
        let mut earlier = Earlier::of(eid, &commits)?;
        while let Some(more) = earlier.next(ports, eid).await? {
            commits.extend(more);
        }
        commits.sort_by_key(|commit| commit.commit);
        Ok(commits)
    }

    /// Reads all readable commits that the head lists: those of its newest part, and those of
    /// earlier parts that contain unread messages or were not put aside yet. Reports the segments that cannot be read. 1 G for each
    /// segment.
    ///
    /// # Errors
    /// The store failed; a later release wrote a segment; or the head is inconsistent in itself.
    pub(crate) async fn read(
        &mut self,
        ports: &Ports,
        concurrency: usize,
    ) -> Result<Read, LoadError> {
        let head = &self.head;
        let head_key = head.key();
        let segments = segment::each(ports, &head.record.eid, &head.sealed, concurrency).await;
        let (mut commits, mut broken, mut next) = (Vec::new(), Vec::new(), 0);
        let mut last = Vec::new();
        for (sealed, segment) in head.sealed.iter().zip(segments) {
            let Sealed {
                key, first, end, ..
            } = sealed;
            // A gap before the newest part: segments that the head does not list any more.
            if *first < next || (*first > next && *first > head.part.first) {
                let why = format!("{key} begins with entry {first}, not {next}");
                return Err(LoadError::corrupt(&head_key, why));
            }
            let decoded = segment.and_then(|raws| Ok((chain(key, &raws, *first, *end)?, raws)));
            match decoded {
                Ok((more, raws)) => {
                    commits.extend(more);
                    last = raws;
                }
                Err(error @ (LoadError::Corrupt { .. } | LoadError::Missing { .. })) => {
                    broken.push(error);
                }
                Err(error) => return Err(error),
            }
            next = *end;
        }
        let begin = head.tail.first().map_or(head.entries, |raw| raw.first);
        if begin > next && begin <= head.part.first {
            next = begin;
            last.clear(); // no commit is merged over a gap
        }
        commits.extend(chain(&head_key, &head.tail, next, head.entries)?);
        // No commit is merged with a segment that could not be read.
        self.open = if broken.is_empty() { last } else { Vec::new() };
        Ok(Read { commits, broken })
    }

    /// True if the tail has no room for `more` bytes of entries: the commit that holds them seals
    /// first. The list of segments counts towards the same bound, so a head stays within its bound
    /// for any length of journal.
    pub(crate) fn is_full(&self, more: usize, tail: usize) -> bool {
        self.head.tail_bytes() + self.head.sealed.len() * segment::NAMED + more > tail
    }

    /// The newest commits, back to number `from` or earlier. 1 G for each segment that contains
    /// some of them.
    ///
    /// # Errors
    /// As [`Journal::history`].
    pub(crate) async fn since(
        &mut self,
        ports: &Ports,
        from: u64,
        concurrency: usize,
    ) -> Result<Vec<Commit>, LoadError> {
        // Commits are dense, so the length of the tail determines its first commit.
        let tail = self.head.tail.len() as u64;
        if from > self.head.commit.saturating_sub(tail) {
            return self.head.tail.iter().map(|raw| self.decode(raw)).collect();
        }
        self.history(ports, concurrency).await
    }

    /// Merges no commit with the last segment from here on.
    pub(crate) fn close_segment(&mut self) {
        self.open = Vec::new();
    }

    /// The mids that the tail's entries hold, and `start`, which the first entries of a journal
    /// absorb.
    ///
    /// # Errors
    /// [`LoadError::Corrupt`]: a commit of the tail cannot be read.
    pub(crate) fn tail_mids(&self) -> Result<BTreeSet<MessageId>, LoadError> {
        let mut mids = BTreeSet::new();
        if self.head.entries > 0 {
            mids.insert(MessageId::start());
        }
        for raw in &self.head.tail {
            collect_mids(&self.decode(raw)?, &mut mids);
        }
        Ok(mids)
    }

    /// Reads one commit.
    ///
    /// # Errors
    /// [`LoadError::Corrupt`] names the head (or the journal of the head).
    pub(crate) fn decode(&self, raw: &Raw) -> Result<Commit, LoadError> {
        raw.decode()
            .map_err(|e| LoadError::corrupt(&self.head.key(), e.to_string()))
    }

    /// The entries of the tail, numbered.
    ///
    /// # Errors
    /// [`LoadError::Corrupt`]: a commit of the tail cannot be read.
    pub(crate) fn tail_entries(&self) -> Result<Vec<(u64, Entry)>, LoadError> {
        let mut all = Vec::new();
        for raw in &self.head.tail {
            let commit = self.decode(raw)?;
            all.extend((commit.first..).zip(commit.entries));
        }
        Ok(all)
    }
}

/// Decodes commits whose entries are numbered from `first` on, up to `end`.
fn chain(key: &Key, raws: &[Raw], first: u64, end: u64) -> Result<Vec<Commit>, LoadError> {
    let (mut commits, mut next) = (Vec::with_capacity(raws.len()), first);
    for raw in raws {
        let commit = raw
            .decode()
            .map_err(|e| LoadError::corrupt(key, e.to_string()))?;
        if commit.first != next {
            let (number, first) = (commit.commit, commit.first);
            let why = format!("commit {number} begins with entry {first}, not {next}");
            return Err(LoadError::corrupt(key, why));
        }
        next += commit.entries.len() as u64;
        commits.push(commit);
    }
    if next != end {
        return Err(LoadError::corrupt(
            key,
            format!("it ends with entry {next}, not {end}"),
        ));
    }
    Ok(commits)
}

/// Adds the mids that `commit` absorbed.
pub(crate) fn collect_mids(commit: &Commit, mids: &mut BTreeSet<MessageId>) {
    mids.extend(commit.entries.iter().filter_map(|entry| match entry {
        Entry::Received { mid, .. } => Some(mid.clone()),
        _ => None,
    }));
}
