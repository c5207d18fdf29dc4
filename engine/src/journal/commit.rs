//! The commit: one compare-and-swap of the head.
//!
//! (1) Seal the tail if it would pass its bound. (2) Replace the head, expecting the version
//! this run read or wrote last.
//!
//! - **I2** Commits of one execution form one chain: the compare-and-swap is the fence. A
//!   stale holder's write is refused, and it then writes nothing more.
//! - **\[R\] One nonce per commit, the same in all attempts at it** (A16): after `Unknown` the
//!   writer reads the head. Its own nonce: the write landed. The expected version: it repeats the
//!   same write. Another version: lost. If the read fails: unknown, and the run ends.
//! - **A refusal is checked in the same way.** It may answer a hidden second attempt at a write
//!   that landed, or be a transient conflict (409): neither costs the lease.
//! - **A transient failure is retried while the lease lasts**, with full jitter, after the delay
//!   that the store requests. The run's step attempts continue meanwhile.
//! - **Crash** before (2): nothing. After it: the outbox is undispatched, and the next run
//!   dispatches first.
//!
//! Price: 1 P, + 1 P for each 64 KiB; after a lost reply 1 G and 1 P each time; 1 G if lost.

use std::time::Duration;

use jiff::Timestamp;

use super::head::{Head, Item, Lease, News, Raw};
use super::part::Part;
use super::report::report;
use super::{CommitError, Journal, segment};
use crate::domain::{Budget, Commit, Entry, Provenance, Status};
use crate::keys::Key;
use crate::ports::{BucketError, Expect, Fault, Outcome, Ports, Verb, Version};
use crate::settings::Settings;
use crate::stored::Document as _;

/// What one commit changes.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) at: Timestamp,
    pub(crate) by: Provenance,
    /// The number of frames registered, if the workflow was driven up to this commit.
    pub(crate) frames: Option<u32>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) lease: Option<Lease>,
    pub(crate) status: Status,
    pub(crate) timer: Option<Key>,
    /// See [`Head::fired`].
    pub(crate) fired: Option<Key>,
    /// All undispatched effects after this commit: first the carried ones, then the new ones.
    pub(crate) outbox: Vec<Item>,
    pub(crate) news: Vec<News>,
    pub(crate) crash_count: u32,
    pub(crate) budget: Budget,
    /// See [`Head::unread`].
    pub(crate) unread: Option<usize>,
    /// By the monotonic clock: no attempt except the first begins after this.
    pub(crate) deadline: Duration,
}

impl Journal {
    /// Makes `draft` durable, or returns the reason for the failure. The header of this file
    /// specifies the protocol.
    ///
    /// # Errors
    /// [`CommitError`]: after `Lost` or `Unknown` this journal must not be used again.
    pub(crate) async fn commit(
        &mut self,
        ports: &Ports,
        settings: &Settings,
        draft: Draft,
    ) -> Result<(), CommitError> {
        let number = self.head.commit + 1;
        let entries = self.head.entries + draft.entries.len() as u64;
        let renews = draft.entries.is_empty();
        let commit = Commit {
            commit: number,
            first: self.head.entries,
            at: draft.at,
            by: draft.by,
            frames: draft.frames,
            entries: draft.entries,
        };
        let newest = commit.newest();
        let raw = Raw::of(&commit);
        let mut next = self.head.clone();
        let mut open = self.open.clone();
        begin_generation(&mut next, &commit);
        if self.is_full(raw.bytes(), settings.tail)
            && let Some(cut) = segment::seal(
                (&next, &open),
                ports,
                &draft.outbox,
                settings.segment,
                draft.deadline,
            )
            .await?
        {
            cut.apply(&mut next, &mut open);
        }
        next.commit = number;
        next.nonce = ports.entropy.nonce();
        next.at = draft.at;
        next.epoch = draft.lease.as_ref().map_or(next.epoch, |lease| lease.epoch);
        next.lease = draft.lease;
        next.status = draft.status;
        next.entries = entries;
        next.newest = newest.unwrap_or(next.newest);
        // A renewal is no history: counted, one long step could end its execution.
        next.bytes += if renews { 0 } else { raw.bytes() as u64 };
        next.tail.push(raw);
        next.timer = draft.timer;
        next.fired = draft.fired;
        next.outbox = draft.outbox;
        next.news = draft.news;
        next.crash_count = draft.crash_count;
        next.budget = draft.budget;
        next.unread = draft.unread;
        self.version = replace(ports, &next, &self.version, draft.deadline).await?;
        self.head = next;
        self.open = open;
        report(&self.head.record, &commit);
        Ok(())
    }
}

/// Changes the head if a generation begins in `commit`. If the execution continues, a part begins, too,
/// and the head lists no more the segments that the entry names.
fn begin_generation(next: &mut Head, commit: &Commit) {
    for (number, entry) in (commit.first..).zip(&commit.entries) {
        match entry {
            Entry::Retried(retried) => next.generation = retried.generation,
            Entry::Continued {
                generation,
                earlier,
                ..
            } => {
                let named = |key: &Key| earlier.iter().any(|segment| segment.key == key.as_str());
                next.generation = *generation;
                next.part = Part {
                    first: number,
                    bytes: next.bytes,
                };
                next.sealed.retain(|sealed| !named(&sealed.key));
            }
            _ => {}
        }
    }
}

/// The only function that writes heads after their creation.
pub(super) async fn replace(
    ports: &Ports,
    next: &Head,
    expected: &Version,
    deadline: Duration,
) -> Result<Version, CommitError> {
    let (key, body, nonce) = (next.key(), next.encode(), next.nonce.clone());
    let lost = || CommitError::Lost {
        key: next.key(),
        commit: next.commit,
    };
    let unknown = || CommitError::Unknown {
        key: next.key(),
        commit: next.commit,
    };
    // True if an attempt of this writer may have landed, or may still land.
    let (mut attempts, mut unsure) = (ports.attempts(), false);
    loop {
        let expect = Expect::At(expected.clone());
        let error = match ports.bucket.write(&key, body.clone(), expect).await {
            Ok(Outcome::Landed(version)) => return Ok(version),
            Ok(answer) => {
                unsure |= answer == Outcome::Unknown;
                let read = ports.read_until(&key, deadline).await;
                let read = read.map_err(|_| unknown())?;
                let Some(found) = read else {
                    return Err(lost());
                };
                if found.version != *expected {
                    let mine = Head::decode(&key, &next.record.eid, &found.body)
                        .is_ok_and(|head| head.nonce == nonce);
                    return if mine { Ok(found.version) } else { Err(lost()) };
                }
                BucketError::new(Fault::Unavailable, Verb::Replace, &key)
                    .because("not answered, or refused wrongly, until the lease ended")
            }
            Err(error) => error,
        };
        let passed = ports.retry_until(&mut attempts, error, deadline).await;
        passed.map_err(|e| if unsure { unknown() } else { e.into() })?;
    }
}
