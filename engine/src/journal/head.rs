//! The head: one object per execution, its authoritative state (docs/protocol.md, The head).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::part::Part;
use super::{Archived, Price};
use crate::domain::{Budget, Class, Commit, ExecutionId, MessageId, Record, Status, is_first};
use crate::keys::{self, Key, TimerKey};
use crate::stored::{self, Document, LoadError};

/// The version of the stored form. A reader rejects a newer one by name.
pub(crate) const FORMAT: u32 = 1;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Head {
    pub(crate) format: u32,
    /// The part that never changes.
    pub(crate) record: Record,
    /// The number of continuations and retries. It is part of the ids and keys of everything that
    /// begins in it.
    #[serde(default, skip_serializing_if = "is_first")]
    pub(crate) generation: u32,
    /// The dense count of commits.
    pub(crate) commit: u64,
    /// Identifies this commit; the same in all attempts at it.
    pub(crate) nonce: String,
    /// The instant of this commit; never decreases.
    pub(crate) at: Timestamp,
    /// Increases with each lease.
    pub(crate) epoch: u64,
    /// The current lease holder, if any.
    pub(crate) lease: Option<Lease>,
    pub(crate) status: Status,
    /// Where the newest part of the journal begins.
    #[serde(default, skip_serializing_if = "Part::is_first")]
    pub(crate) part: Part,
    /// The number of entries so far: the number of the next one.
    pub(crate) entries: u64,
    /// The number of the newest entry that a fence counts (see [`Entry::counts`](crate::domain::Entry::counts)).
    #[serde(default)]
    pub(crate) newest: u64,
    /// The bytes of journal so far, including sealed segments, without renewals of the lease.
    pub(crate) bytes: u64,
    pub(crate) sealed: Vec<Sealed>,
    /// The commits since the last sealed segment.
    pub(crate) tail: Vec<Raw>,
    /// The full key of the timer for the earliest deadline.
    pub(crate) timer: Option<Key>,
    /// The timer that covers the commits since the head was last without a lease. While that object
    /// exists, the outbox may be undispatched (A2).
    pub(crate) fired: Option<Key>,
    /// Effects that may be undispatched.
    pub(crate) outbox: Vec<Item>,
    /// Lifecycle events that may be missing in the feed.
    pub(crate) news: Vec<News>,
    /// The number of leases since the last clean end or new outcome.
    pub(crate) crash_count: u32,
    /// The requests that it has made, and may make.
    #[serde(default, skip_serializing_if = "Budget::is_unused")]
    pub(crate) budget: Budget,
    /// The number of unread messages, if there are so many that the last run took no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unread: Option<usize>,
    /// In a tombstone: where the execution was archived. All other state is dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) archived: Option<Archived>,
}

/// The lease of an execution: its holder and its expiry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The worker that holds the lease.
    pub worker: String,
    /// The lease number, which increases with each lease of the execution.
    pub epoch: u64,
    /// The instant at which the lease expires unless it is renewed, by the clock of its holder. No
    /// worker takes it over before, unless that clock is far ahead (docs/protocol.md, A run).
    pub until: Timestamp,
    /// Its duration in milliseconds, from the commit that set it.
    pub ttl_ms: u64,
}

impl Lease {
    /// Returns whether it ends more than two of its durations after `now`. Then the clock of its holder
    /// is wrong, or the clock that `now` is of.
    pub(crate) fn is_far_ahead(&self, now: Timestamp) -> bool {
        let most = SignedDuration::try_from(Duration::from_millis(self.ttl_ms).saturating_mul(2));
        let most = most.ok().and_then(|most| now.checked_add(most).ok());
        most.is_some_and(|most| self.until > most)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sealed {
    /// The full key, which contains the digest of the bytes.
    pub(crate) key: Key,
    pub(crate) first: u64,
    /// The number of the first entry after the segment.
    pub(crate) end: u64,
    pub(crate) bytes: u64,
}

/// An effect to dispatch after a commit: the number of the entry that specifies it, or a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Item {
    /// The effect of an entry.
    Entry(u64),
    /// An effect without an entry.
    Named(Named),
}

/// Effects without an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Named {
    /// Create the object that `timer` names.
    Timer,
    /// Write the feed object, after all other effects.
    Feed,
}

/// A lifecycle event that is to be written to the feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct News {
    pub(crate) commit: u64,
    pub(crate) at: Timestamp,
    pub(crate) kind: String,
    /// Details as text, if there are any (a failure, a reason).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
}

/// One commit as text, so that an append to a tail neither parses nor prints the commits before it.
#[derive(Debug, Clone)]
pub(crate) struct Raw {
    pub(crate) first: u64,
    text: Arc<RawValue>,
}

impl Raw {
    /// The stored form of `commit`.
    pub(crate) fn of(commit: &Commit) -> Self {
        let text = serde_json::value::to_raw_value(commit)
            .expect("a commit holds only values that were serialized before");
        Self {
            first: commit.first,
            text: text.into(),
        }
    }

    /// Parses the commit.
    ///
    /// # Errors
    /// The error of serde, if the text does not parse.
    pub(crate) fn decode(&self) -> Result<Commit, serde_json::Error> {
        serde_json::from_str(self.text.get())
    }

    pub(crate) fn bytes(&self) -> usize {
        self.text.get().len()
    }
}

impl Serialize for Raw {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct First {
            first: u64,
        }
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let First { first } = serde_json::from_str(text.get()).map_err(serde::de::Error::custom)?;
        Ok(Self {
            first,
            text: text.into(),
        })
    }
}

impl Document for Head {
    const FORMAT: u32 = FORMAT;
}

impl Head {
    /// The head of an execution that was started and has not run yet.
    pub(crate) fn new(record: Record, nonce: String) -> Self {
        let mut budget = Budget {
            max: record.budget,
            ..Budget::default()
        };
        budget.spend(record.created_at, Price::of_start(&record).requests());
        Self {
            format: FORMAT,
            generation: 0,
            commit: 0,
            nonce,
            at: record.created_at,
            record,
            epoch: 0,
            lease: None,
            status: Status::Pending,
            part: Part::default(),
            entries: 0,
            newest: 0,
            bytes: 0,
            sealed: Vec::new(),
            tail: Vec::new(),
            timer: None,
            fired: None,
            outbox: Vec::new(),
            news: Vec::new(),
            crash_count: 0,
            budget,
            unread: None,
            archived: None,
        }
    }

    pub(crate) fn key(&self) -> Key {
        keys::head(&self.record.eid)
    }

    /// Decodes a head from its bytes.
    ///
    /// # Errors
    /// [`LoadError::Newer`] for a form of a later release. [`LoadError::Corrupt`] if the bytes are
    /// not a head, have changed since they were written, or are the head of another execution.
    pub(crate) fn decode(key: &Key, eid: &ExecutionId, body: &[u8]) -> Result<Self, LoadError> {
        let head: Self = stored::decode(key, body)?;
        head.check(eid)
            .map_err(|why| LoadError::corrupt(key, why))?;
        Ok(head)
    }

    /// Checks the rules that a run relies on beyond the form. A run creates, reads and deletes the
    /// objects that a head names, so a head may name objects of its own execution only.
    fn check(&self, eid: &ExecutionId) -> Result<(), String> {
        if self.format == 0 {
            return Err("there is no format 0".to_owned());
        }
        if self.record.eid != *eid {
            return Err(format!("it is the head of {}", self.record.eid));
        }
        if self.part.first > self.entries || self.part.bytes > self.bytes {
            return Err(format!(
                "its newest part begins with entry {}",
                self.part.first
            ));
        }
        Archived::check(self)?;
        let undispatched: BTreeSet<_> = self.outbox.iter().collect();
        if undispatched.len() != self.outbox.len() {
            return Err("its outbox names an effect twice".to_owned());
        }
        let own = |key: &&Key| {
            TimerKey::parse(key)
                .is_some_and(|timer| timer.eid == *eid && timer.queue == self.record.queue)
        };
        if let Some(key) = self.timer.iter().chain(&self.fired).find(|key| !own(key)) {
            return Err(format!("it names as its timer {key}"));
        }
        let log = keys::log(eid);
        let mut segments = self.sealed.iter().map(|sealed| &sealed.key);
        if let Some(key) = segments.find(|key| !key.is_under(&log)) {
            return Err(format!("it names as its segment {key}"));
        }
        Ok(())
    }

    /// Whether a run that begins from this head, without a lease, absorbs the message `mid`. Messages
    /// on channels are left in the mailbox while `most` others are unread.
    pub(crate) fn takes(&self, mid: &MessageId, most: usize) -> bool {
        let full = self.unread.is_some_and(|unread| unread >= most);
        !full || self.lease.is_some() || mid.class() != Class::Message
    }

    /// Bytes of the commits that are not sealed.
    pub(crate) fn tail_bytes(&self) -> usize {
        self.tail.iter().map(Raw::bytes).sum()
    }
}
