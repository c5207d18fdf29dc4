//! The head: one object per execution, the truth about it (docs/protocol.md, The head).

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::Archived;
use crate::domain::{Commit, ExecutionId, Record, Status};
use crate::keys::{self, Key, TimerKey};
use crate::stored::{self, Document, LoadError};

/// Version of the stored form; a reader refuses a newer one by name.
pub(crate) const FORMAT: u32 = 1;

/// The execution, as stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Head {
    /// Version of this form.
    pub(crate) format: u32,
    /// What never changes.
    pub(crate) record: Record,
    /// Dense count of commits.
    pub(crate) commit: u64,
    /// Names this commit: the same in all attempts at it.
    pub(crate) nonce: String,
    /// The instant of this commit; never decreases.
    pub(crate) at: Timestamp,
    /// Increases with each lease.
    pub(crate) epoch: u64,
    /// Whose run is at it.
    pub(crate) lease: Option<Lease>,
    /// Where it stands.
    pub(crate) status: Status,
    /// Entries so far: the number of the next one.
    pub(crate) entries: u64,
    /// Bytes of journal so far, sealed ones too.
    pub(crate) bytes: u64,
    /// Segments, in order.
    pub(crate) sealed: Vec<Sealed>,
    /// The commits since.
    pub(crate) tail: Vec<Raw>,
    /// The whole key of the timer for the earliest deadline.
    pub(crate) timer: Option<Key>,
    /// The timer that covers the commits since the head was last ownerless: while that object
    /// exists, the outbox may be undispatched (A2).
    pub(crate) fired: Option<Key>,
    /// Effects not known to be dispatched.
    pub(crate) outbox: Vec<Item>,
    /// Lifecycle events that no feed object is known to hold.
    pub(crate) news: Vec<News>,
    /// Leases since the last new outcome.
    pub(crate) crash_count: u32,
    /// Where it was archived to, in a tombstone, which has let go of everything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) archived: Option<Archived>,
}

/// Whose run is at an execution, until when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The worker that holds it.
    pub worker: String,
    /// Increases with each lease of the execution.
    pub epoch: u64,
    /// When it expires unless it is renewed; nobody takes it over before.
    pub until: Timestamp,
}

/// A sealed segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sealed {
    /// Its whole key, which names its bytes.
    pub(crate) key: Key,
    /// Number of its first entry.
    pub(crate) first: u64,
    /// Number of the first entry after it.
    pub(crate) end: u64,
    /// Its size.
    pub(crate) bytes: u64,
}

/// Something to do after a commit: the number of the entry that says what, or a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Item {
    /// The effect of an entry.
    Entry(u64),
    /// An effect that no entry holds.
    Named(Named),
}

/// Effects that no entry holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Named {
    /// Create the object that `timer` names.
    Timer,
    /// Write the feed object, last of all.
    Feed,
}

/// A lifecycle event on its way to the feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct News {
    /// The commit it belongs to.
    pub(crate) commit: u64,
    /// Its instant.
    pub(crate) at: Timestamp,
    /// The entry's kind.
    pub(crate) kind: String,
    /// In words, where there is more to say (a failure, a reason).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
}

/// One commit as text: appending to a tail never parses or prints what is there already.
#[derive(Debug, Clone)]
pub(crate) struct Raw {
    /// Number of its first entry.
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

    /// The commit.
    ///
    /// # Errors
    /// What does not parse, in serde's words.
    pub(crate) fn decode(&self) -> Result<Commit, serde_json::Error> {
        serde_json::from_str(self.text.get())
    }

    /// Its size in bytes.
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
    /// The head of an execution that was only started.
    pub(crate) fn new(record: Record, nonce: String) -> Self {
        Self {
            format: FORMAT,
            commit: 0,
            nonce,
            at: record.created_at,
            record,
            epoch: 0,
            lease: None,
            status: Status::Pending,
            entries: 0,
            bytes: 0,
            sealed: Vec::new(),
            tail: Vec::new(),
            timer: None,
            fired: None,
            outbox: Vec::new(),
            news: Vec::new(),
            crash_count: 0,
            archived: None,
        }
    }

    /// Where it is stored.
    pub(crate) fn key(&self) -> Key {
        keys::head(&self.record.eid)
    }

    /// Reads the bytes back.
    ///
    /// # Errors
    /// [`LoadError::Newer`] for a form of a later release, [`LoadError::Corrupt`] for what is
    /// no head, is not as it was written, or is the head of another execution.
    pub(crate) fn decode(key: &Key, eid: &ExecutionId, body: &[u8]) -> Result<Self, LoadError> {
        let head: Self = stored::decode(key, body)?;
        head.check(eid)
            .map_err(|why| LoadError::corrupt(key, why))?;
        Ok(head)
    }

    /// What a run relies on, beyond the form: it creates, reads and deletes what a head names,
    /// so a head names objects of its own execution only.
    fn check(&self, eid: &ExecutionId) -> Result<(), String> {
        if self.format == 0 {
            return Err("there is no format 0".to_owned());
        }
        if self.record.eid != *eid {
            return Err(format!("it is the head of {}", self.record.eid));
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

    /// Bytes of the commits that are not sealed.
    pub(crate) fn tail_bytes(&self) -> usize {
        self.tail.iter().map(Raw::bytes).sum()
    }
}
