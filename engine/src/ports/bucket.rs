//! The storage port: four verbs, three outcomes, no unconditional put.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;

use crate::keys::{Key, Prefix};

/// The engine's only port to storage. Each call is one request (a list: one per page).
///
/// What an implementation must give (docs/protocol.md, What a bucket must give): reads and
/// lists see every write that was answered before they began; of several writes with the same
/// expectation at most one lands. The suite in `millpond-conformance` proves it.
#[async_trait]
pub trait Bucket: fmt::Debug + Send + Sync + 'static {
    /// Reads the newest object; `None` if the key does not exist.
    ///
    /// # Errors
    /// The store could not answer. Nothing has changed.
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError>;

    /// Writes `key` if, and only if, it is still as `expect` says.
    ///
    /// A replace (`Expect::At`) of an absent key is `Refused`, and creates nothing. A write
    /// that met another one under way (409) did not happen and is no refusal: it is tried
    /// again behind this port, and is a transient error if that does not help.
    ///
    /// # Errors
    /// The write certainly did not happen (denied, full, never sent). Where it may have
    /// happened, the answer is [`Outcome::Unknown`], never an error.
    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError>;

    /// Deletes `key`; deleting what does not exist is success.
    ///
    /// # Errors
    /// The store could not answer; the object may be gone all the same.
    async fn delete(&self, key: &Key) -> Result<(), BucketError>;

    /// Lists keys under `prefix` that sort after `after`, in byte order, at most `limit`.
    ///
    /// What existed when the first page was asked for, and is not deleted, is listed by the pages up
    /// to the first one without [`next`](Page::next). A page may be shorter than `limit`, and empty,
    /// although more follow.
    ///
    /// # Errors
    /// The store could not answer.
    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError>;
}

/// What a write expects to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expect {
    /// No object: put-if-absent.
    Absent,
    /// Exactly this version: compare-and-swap.
    At(Version),
}

/// How a write ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// It happened; this is the new version.
    Landed(Version),
    /// It did not happen: the key was not as expected.
    Refused,
    /// No answer came: it may have landed, or may still land.
    Unknown,
}

/// An opaque name of one version of one object (an `ETag`, a hash, a counter).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(Arc<str>);

impl Version {
    /// Wraps what the store calls this version.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// The text as the store gave it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An object as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// The bytes.
    pub body: Bytes,
    /// The version they belong to.
    pub version: Version,
}

/// One row of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The key.
    pub key: Key,
    /// Last modification, by the store's clock.
    pub modified: Timestamp,
    /// Size in bytes.
    pub size: u64,
}

/// One page of a listing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// Keys in byte order.
    pub entries: Vec<Listed>,
    /// Where the listing goes on if keys may follow: `after` of the next request. A store that leaves
    /// keys out returns pages that are empty and not the last: what follows is found by this
    /// position alone, never by the last entry.
    pub next: Option<Key>,
}

impl Page {
    /// A page of a store that leaves out no key: if `more` keys follow, they follow the last entry.
    #[must_use]
    pub fn new(entries: Vec<Listed>, more: bool) -> Self {
        let next = entries.last().filter(|_| more).map(|row| row.key.clone());
        Self { entries, next }
    }
}

/// What kind of trouble the store is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It does not answer, or answers with an error of its own: try again later.
    Unavailable,
    /// It asks for fewer requests (503 `SlowDown`, 429): back off, for at least
    /// [`retry_after`](BucketError::retry_after) where it says so.
    Throttled,
    /// It refuses this caller (credentials, permissions, read-only).
    Denied,
    /// It has no room left.
    Full,
    /// The place itself is gone (bucket deleted, folder removed).
    Gone,
    /// The request cannot be served as it is (a key too long for it, a body too large).
    Invalid,
}

/// Longest wait that is granted to a store: one that heals sooner than it said is not left alone
/// for a day because of one answer.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Why a request to the store failed.
#[derive(Debug, thiserror::Error)]
#[error("bucket {verb} failed ({fault:?}): key={key}")]
pub struct BucketError {
    /// What kind of trouble.
    pub fault: Fault,
    /// The verb: read, write, delete or list.
    pub verb: &'static str,
    /// The key or prefix asked for.
    pub key: String,
    /// How long the store wants to be left alone (its `Retry-After`), if it says. It is granted a
    /// minute at most ([`wait`](Self::wait)).
    pub retry_after: Option<Duration>,
    /// What the store said.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl BucketError {
    /// An error of `verb` on `key`.
    pub fn new(fault: Fault, verb: &'static str, key: impl fmt::Display) -> Self {
        Self {
            fault,
            verb,
            key: key.to_string(),
            retry_after: None,
            source: None,
        }
    }

    /// The same with what the store said.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The same with how long the store wants to be left alone.
    #[must_use]
    pub fn after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// How long the store is left alone: what it asks for, a minute at most.
    #[must_use]
    pub fn wait(&self) -> Duration {
        self.retry_after.unwrap_or_default().min(LONGEST_WAIT)
    }

    /// Whether trying the same request again later may help without anybody's doing.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self.fault {
            Fault::Unavailable | Fault::Throttled => true,
            Fault::Denied | Fault::Full | Fault::Gone | Fault::Invalid => false,
        }
    }
}
