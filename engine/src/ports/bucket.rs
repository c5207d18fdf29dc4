//! The storage port: four operations, three outcomes, no unconditional put.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;

use super::Verb;
use crate::keys::{Key, Prefix};

/// The engine's only port to storage. Each call is one request (a list: one per page).
///
/// The required guarantees (docs/protocol.md, What a bucket must give): reads and lists see every
/// write that was acknowledged before they began; of several writes with the same expectation at
/// most one lands. The suite in `millpond-conformance` proves them.
#[async_trait]
pub trait Bucket: fmt::Debug + Send + Sync + 'static {
    /// Reads the newest version of an object; `None` if the key does not exist.
    ///
    /// # Errors
    /// The store could not respond. Nothing has changed.
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError>;

    /// Writes `key` if, and only if, it still matches `expect`.
    ///
    /// A replace (`Expect::At`) of an absent key is `Refused`, and creates nothing. A write that
    /// conflicts with a concurrent one (409) did not happen and is not a refusal: the
    /// implementation retries it, and returns a transient error if retries do not help.
    ///
    /// # Errors
    /// The write certainly did not happen (denied, full, never sent). If it may have happened, the
    /// result is [`Outcome::Unknown`], never an error.
    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError>;

    /// Deletes `key`. A delete of an absent object is a success.
    ///
    /// # Errors
    /// The store could not respond; the object may be deleted nevertheless.
    async fn delete(&self, key: &Key) -> Result<(), BucketError>;

    /// Lists keys under `prefix` that sort after `after`, in byte order, at most `limit`.
    ///
    /// An object that existed when the first page was requested, and is not deleted, is listed by
    /// the pages up to the first one without [`next`](Page::next). A page may be shorter than
    /// `limit`, or empty, although more pages follow.
    ///
    /// # Errors
    /// The store could not respond.
    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError>;
}

/// The precondition of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expect {
    /// No object: put-if-absent.
    Absent,
    /// Exactly this version: compare-and-swap.
    At(Version),
}

/// The outcome of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// The write happened; this is the new version.
    Landed(Version),
    /// The write did not happen: the precondition failed.
    Refused,
    /// No response arrived: the write may have landed, or may still land.
    Unknown,
}

/// An opaque name of one version of one object (an `ETag`, a hash, a counter).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(Arc<str>);

impl Version {
    /// Wraps the store's name of the version.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// Returns the text that the store assigned.
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
    /// The version of these bytes.
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
    /// The position from which the listing continues if more keys may follow: `after` of the next
    /// request. A store that omits keys returns empty pages before the last one, so callers must
    /// continue from this position, never from the last entry.
    pub next: Option<Key>,
}

impl Page {
    /// Creates a page of a store that omits no keys: if `more` keys follow, they follow the last
    /// entry.
    #[must_use]
    pub fn new(entries: Vec<Listed>, more: bool) -> Self {
        let next = entries.last().filter(|_| more).map(|row| row.key.clone());
        Self { entries, next }
    }
}

/// The kind of a store failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The store does not respond, or responds with an internal error. A later retry may succeed.
    Unavailable,
    /// The store throttles requests (503 `SlowDown`, 429): callers back off, for at least
    /// [`retry_after`](BucketError::retry_after) if it is set.
    Throttled,
    /// The store denies access to this caller (credentials, permissions, read-only).
    Denied,
    /// The store has no space left.
    Full,
    /// The bucket itself does not exist any more (bucket deleted, folder removed).
    Gone,
    /// The store cannot serve the request as it is (a key too long, a body too large).
    Invalid,
}

/// The longest delay that a store can impose, so that one excessive response does not suspend
/// requests for a day although the store recovers earlier.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The failure of a request to the store.
#[derive(Debug, thiserror::Error)]
#[error("bucket {verb} failed ({fault:?}): key={key}")]
pub struct BucketError {
    /// The kind of failure.
    pub fault: Fault,
    /// The operation.
    pub verb: Verb,
    /// The requested key or prefix.
    pub key: String,
    /// The delay that the store requested (its `Retry-After`), if any. At most one minute of it is
    /// observed ([`wait`](Self::wait)).
    pub retry_after: Option<Duration>,
    /// The error of the store.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl BucketError {
    /// Creates an error of `verb` on `key`.
    pub fn new(fault: Fault, verb: Verb, key: impl fmt::Display) -> Self {
        Self {
            fault,
            verb,
            key: key.to_string(),
            retry_after: None,
            source: None,
        }
    }

    /// Adds the error of the store.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Adds the delay that the store requested.
    #[must_use]
    pub fn after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Returns the delay before the next request: the requested one, at most one minute.
    #[must_use]
    pub fn wait(&self) -> Duration {
        self.retry_after.unwrap_or_default().min(LONGEST_WAIT)
    }

    /// Returns true if the same request may succeed later without intervention.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self.fault {
            Fault::Unavailable | Fault::Throttled => true,
            Fault::Denied | Fault::Full | Fault::Gone | Fault::Invalid => false,
        }
    }
}
