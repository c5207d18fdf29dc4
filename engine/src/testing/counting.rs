//! A wrapper that counts requests, to measure the cost of a test.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;

use crate::keys::{Key, Prefix};
use crate::ports::{Bucket, BucketError, Expect, Fault, Object, Outcome, Page, Verb};

/// Counts the requests that pass through it, including refused and failed ones, which cost the
/// same.
#[derive(Debug)]
pub struct CountingBucket {
    inner: Arc<dyn Bucket>,
    log: Mutex<Vec<Request>>,
    throttled: AtomicU64,
}

/// One request, as logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The requested operation.
    pub verb: Verb,
    /// The key, or for a list the prefix.
    pub key: String,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.key)
    }
}

/// The number of requests by operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Deletes.
    pub deletes: u64,
    /// Lists, one per page.
    pub lists: u64,
    /// The number of all these requests that the store throttled (503, 429).
    pub throttled: u64,
}

impl Counts {
    /// Returns the number of requests that object stores charge most for: writes and lists. Deletes
    /// are free.
    #[must_use]
    pub const fn write_requests(&self) -> u64 {
        self.writes + self.lists
    }

    /// Returns the number of reads, which cost about a twelfth of a write request.
    #[must_use]
    pub const fn read_requests(&self) -> u64 {
        self.reads
    }

    /// Returns the requests since `earlier`, counted by the same wrapper.
    #[must_use]
    pub const fn since(&self, earlier: &Self) -> Self {
        Self {
            reads: self.reads - earlier.reads,
            writes: self.writes - earlier.writes,
            deletes: self.deletes - earlier.deletes,
            lists: self.lists - earlier.lists,
            throttled: self.throttled - earlier.throttled,
        }
    }

    const fn add(&mut self, verb: Verb) {
        match verb {
            Verb::Read => self.reads += 1,
            Verb::Create | Verb::Replace => self.writes += 1,
            Verb::Delete => self.deletes += 1,
            Verb::List => self.lists += 1,
        }
    }
}

impl CountingBucket {
    /// Counts the requests to `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn Bucket>) -> Self {
        Self {
            inner,
            log: Mutex::default(),
            throttled: AtomicU64::default(),
        }
    }

    /// Returns the number of requests so far, by operation.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts {
            throttled: self.throttled.load(Ordering::Relaxed),
            ..Counts::default()
        };
        for request in self.lock().iter() {
            counts.add(request.verb);
        }
        counts
    }

    /// Returns the requests so far, in order.
    #[must_use]
    pub fn log(&self) -> Vec<Request> {
        self.lock().clone()
    }

    fn note(&self, verb: Verb, key: impl fmt::Display) {
        let key = key.to_string();
        self.lock().push(Request { verb, key });
    }

    fn seen<T>(&self, answer: Result<T, BucketError>) -> Result<T, BucketError> {
        if let Err(error) = &answer
            && error.fault == Fault::Throttled
        {
            self.throttled.fetch_add(1, Ordering::Relaxed);
        }
        answer
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Request>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Bucket for CountingBucket {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        self.note(Verb::Read, key);
        self.seen(self.inner.read(key).await)
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        self.note(Verb::writing(&expect), key);
        self.seen(self.inner.write(key, body, expect).await)
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        self.note(Verb::Delete, key);
        self.seen(self.inner.delete(key).await)
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        self.note(Verb::List, prefix);
        self.seen(self.inner.list(prefix, after, limit).await)
    }
}
