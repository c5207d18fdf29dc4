//! The commit: one compare-and-swap of the head.
//!
//! (1) Seal the tail if it would pass its bound. (2) Replace the head, expecting the version
//! this run read or wrote last.
//!
//! - **I2** Commits of one execution form one chain: the compare-and-swap is the fence. A
//!   stale owner's write is refused, and it then writes nothing more.
//! - **\[R\] One nonce per commit, the same in all attempts at it** (FINDINGS A16): after
//!   `Unknown` the writer reads the head. Its own nonce: landed. The expected version still
//!   there: the same write again. Another version: lost. A read that fails: unknown, the run
//!   ends.
//! - **Crash** before (2): nothing. After it: the outbox is unsettled, and the next run
//!   settles first.
//!
//! Price: 1 P, + 1 P for each 64 KiB; after a lost reply 1 G and 1 P each time.

use std::time::Duration;

use jiff::Timestamp;

use super::head::{Head, Item, News, Owner, Raw};
use super::{CommitError, Journal, segment};
use crate::domain::{Commit, Entry, Provenance, Status};
use crate::doors::{BucketError, Doors, Expect, Fault, Outcome, Version};
use crate::keys::Key;
use crate::settings::Settings;

/// What one commit changes.
#[derive(Debug)]
pub struct Draft {
    /// The run's instant.
    pub at: Timestamp,
    /// Who, with which code.
    pub by: Provenance,
    /// Frames registered, if the workflow was driven up to here.
    pub frames: Option<u32>,
    /// The new entries.
    pub entries: Vec<Entry>,
    /// The ownership after it.
    pub owner: Option<Owner>,
    /// The status after it.
    pub status: Status,
    /// The alarm after it.
    pub alarm: Option<Key>,
    /// See [`Head::fired`].
    pub fired: Option<Key>,
    /// Everything unsettled after it: what is carried, then what is new.
    pub outbox: Vec<Item>,
    /// The news after it.
    pub news: Vec<News>,
    /// The stalls after it.
    pub stalls: u32,
    /// By the monotonic clock: no attempt begins after this.
    pub deadline: Duration,
}

impl Journal {
    /// Makes `draft` durable, or says why not. See the head of this file.
    ///
    /// # Errors
    /// [`CommitError`]: after `Lost` or `Unknown` this journal must not be used again.
    pub async fn commit(
        &mut self,
        doors: &Doors,
        settings: &Settings,
        draft: Draft,
    ) -> Result<(), CommitError> {
        let number = self.head.commit + 1;
        let entries = self.head.entries + draft.entries.len() as u64;
        let raw = Raw::of(&Commit {
            commit: number,
            first: self.head.entries,
            at: draft.at,
            by: draft.by,
            frames: draft.frames,
            entries: draft.entries,
        });
        let mut next = self.head.clone();
        let mut open = self.open.clone();
        if self.is_full(raw.bytes(), settings.tail)
            && let Some(cut) = segment::seal(self, doors, &draft.outbox, settings.segment).await?
        {
            cut.apply(&mut next, &mut open);
        }
        next.commit = number;
        next.nonce = doors.entropy.nonce();
        next.at = draft.at;
        next.epoch = draft.owner.as_ref().map_or(next.epoch, |owner| owner.epoch);
        next.owner = draft.owner;
        next.status = draft.status;
        next.entries = entries;
        next.bytes += raw.bytes() as u64;
        next.tail.push(raw);
        next.alarm = draft.alarm;
        next.fired = draft.fired;
        next.outbox = draft.outbox;
        next.news = draft.news;
        next.stalls = draft.stalls;
        self.version = replace(doors, &next, &self.version, draft.deadline).await?;
        self.head = next;
        self.open = open;
        Ok(())
    }
}

/// The one writer of heads after their creation.
async fn replace(
    doors: &Doors,
    next: &Head,
    expected: &Version,
    deadline: Duration,
) -> Result<Version, CommitError> {
    let (key, body) = (next.key(), next.encode());
    let lost = || CommitError::Lost {
        key: next.key(),
        commit: next.commit,
    };
    let unknown = || CommitError::Unknown {
        key: next.key(),
        commit: next.commit,
    };
    let (mut attempt, mut unsure) = (0, false);
    loop {
        if attempt > 0 && doors.clock.monotonic() >= deadline {
            return Err(unknown());
        }
        match doors
            .bucket
            .write(&key, body.clone(), Expect::At(expected.clone()))
            .await
        {
            Ok(Outcome::Landed(version)) => return Ok(version),
            Ok(Outcome::Refused) if !unsure => return Err(lost()),
            // A refusal that answers a retry may hide a write of ours that happened.
            Ok(Outcome::Refused | Outcome::Unknown) => {
                unsure = true;
                let read = doors.read(&key).await.map_err(|_| unknown())?;
                let Some(found) = read else {
                    return Err(lost());
                };
                if found.version != *expected {
                    let mine = Head::decode(&key, &next.record.eid, &found.body)
                        .is_ok_and(|head| head.nonce == next.nonce);
                    return if mine { Ok(found.version) } else { Err(lost()) };
                }
                let again = BucketError::new(Fault::Unavailable, "write", &key);
                doors
                    .retry(&mut attempt, again)
                    .await
                    .map_err(|_| unknown())?;
            }
            Err(error) => {
                let passed = doors.retry(&mut attempt, error).await;
                passed.map_err(|e| if unsure { unknown() } else { e.into() })?;
            }
        }
    }
}
