//! A bucket whose requests are counted.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use millpond::keys::{Key, Kind, Prefix};
use millpond::ports::{Bucket, BucketError, Expect, Fault, Object, Outcome, Page, Verb};

use crate::{Tally, Usage};

/// Counts the requests that pass through it, by verb and by kind of object, in constant memory.
///
/// A request counts when it is sent, even if its caller no longer awaits the reply. Retries of an
/// adapter behind its port count as one request here.
pub struct Metered {
    inner: Arc<dyn Bucket>,
    cells: [[Cell; Kind::ALL.len()]; Verb::ALL.len()],
}

/// A [`Tally`] in progress. The counters are independent: they need no order among them.
#[derive(Default)]
struct Cell {
    requests: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
    refused: AtomicU64,
    unknown: AtomicU64,
    throttled: AtomicU64,
    failed: AtomicU64,
}

impl Cell {
    fn tally(&self) -> Tally {
        let of = |number: &AtomicU64| number.load(Ordering::Relaxed);
        Tally {
            requests: of(&self.requests),
            sent: of(&self.sent),
            received: of(&self.received),
            refused: of(&self.refused),
            unknown: of(&self.unknown),
            throttled: of(&self.throttled),
            failed: of(&self.failed),
        }
    }

    fn answered<T>(&self, answer: Result<T, BucketError>) -> Result<T, BucketError> {
        match &answer {
            Ok(_) => {}
            Err(error) if error.fault == Fault::Throttled => add(&self.throttled, 1),
            Err(_) => add(&self.failed, 1),
        }
        answer
    }
}

fn add(number: &AtomicU64, more: usize) {
    number.fetch_add(more as u64, Ordering::Relaxed);
}

impl Metered {
    /// Counts the requests to `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn Bucket>) -> Self {
        Self {
            inner,
            cells: Default::default(),
        }
    }

    /// The requests so far. Costs no request.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let mut usage = Usage::default();
        for (row, cells) in usage.0.iter_mut().zip(&self.cells) {
            for (tally, cell) in row.iter_mut().zip(cells) {
                *tally = cell.tally();
            }
        }
        usage
    }

    fn sent(&self, verb: Verb, kind: Kind, bytes: usize) -> &Cell {
        let cell = &self.cells[verb as usize][kind as usize];
        add(&cell.requests, 1);
        add(&cell.sent, bytes);
        cell
    }
}

impl fmt::Debug for Metered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.usage().total();
        f.debug_struct("Metered")
            .field("inner", &self.inner)
            .field("requests", &total.requests)
            .finish_non_exhaustive()
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Bucket for Metered {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        let cell = self.sent(Verb::Read, Kind::of(key), 0);
        let found = cell.answered(self.inner.read(key).await)?;
        if let Some(object) = &found {
            add(&cell.received, object.body.len());
        }
        Ok(found)
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        let cell = self.sent(Verb::writing(&expect), Kind::of(key), body.len());
        let outcome = cell.answered(self.inner.write(key, body, expect).await)?;
        match outcome {
            Outcome::Landed(_) => {}
            Outcome::Refused => add(&cell.refused, 1),
            Outcome::Unknown => add(&cell.unknown, 1),
        }
        Ok(outcome)
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        let cell = self.sent(Verb::Delete, Kind::of(key), 0);
        cell.answered(self.inner.delete(key).await)
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        let cell = self.sent(Verb::List, Kind::under(prefix), 0);
        cell.answered(self.inner.list(prefix, after, limit).await)
    }
}
