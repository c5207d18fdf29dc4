//! A bucket whose requests are logged.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use millpond::keys::{Key, Kind, Prefix};
use millpond::ports::{Bucket, BucketError, Clock, Expect, Fault, Object, Outcome, Page, Verb};

/// Logs one event for each request, at level debug, with the target `millpond::bucket`: verb, kind
/// of object, key, outcome, bytes, and duration. Bodies are never logged.
///
/// A request whose future is dropped has no outcome, and no event.
#[derive(Debug)]
pub struct Traced {
    inner: Arc<dyn Bucket>,
    clock: Arc<dyn Clock>,
}

/// The logged part of a reply.
struct End {
    outcome: &'static str,
    bytes: usize,
}

impl Traced {
    /// Logs the requests to `inner`; `clock` measures their duration.
    #[must_use]
    pub fn new(inner: Arc<dyn Bucket>, clock: Arc<dyn Clock>) -> Self {
        Self { inner, clock }
    }

    async fn trace<T>(
        &self,
        verb: Verb,
        kind: Kind,
        key: &str,
        request: impl Future<Output = Result<T, BucketError>>,
        end: impl FnOnce(&T) -> End,
    ) -> Result<T, BucketError> {
        if !tracing::enabled!(target: "millpond::bucket", tracing::Level::DEBUG) {
            return request.await;
        }
        let from = self.clock.monotonic();
        let answer = request.await;
        let took = self.clock.monotonic().saturating_sub(from);
        let End { outcome, bytes } = match &answer {
            Ok(value) => end(value),
            Err(error) => failed(error.fault),
        };
        let micros = micros(took);
        let (verb, kind): (&str, _) = (verb.into(), kind.as_str());
        tracing::debug!(target: "millpond::bucket", verb, kind, key, outcome, bytes, micros);
        answer
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

const fn failed(fault: Fault) -> End {
    let outcome = match fault {
        Fault::Unavailable => "unavailable",
        Fault::Throttled => "throttled",
        Fault::Denied => "denied",
        Fault::Full => "full",
        Fault::Gone => "gone",
        Fault::Invalid => "invalid",
    };
    End { outcome, bytes: 0 }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Bucket for Traced {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        let end = |found: &Option<Object>| match found {
            Some(object) => End {
                outcome: "found",
                bytes: object.body.len(),
            },
            None => End {
                outcome: "absent",
                bytes: 0,
            },
        };
        let request = self.inner.read(key);
        self.trace(Verb::Read, Kind::of(key), key.as_str(), request, end)
            .await
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        let (verb, bytes) = (Verb::writing(&expect), body.len());
        let end = |outcome: &Outcome| End {
            outcome: match outcome {
                Outcome::Landed(_) => "landed",
                Outcome::Refused => "refused",
                Outcome::Unknown => "unknown",
            },
            bytes,
        };
        let request = self.inner.write(key, body, expect);
        self.trace(verb, Kind::of(key), key.as_str(), request, end)
            .await
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        let end = |(): &()| End {
            outcome: "deleted",
            bytes: 0,
        };
        let request = self.inner.delete(key);
        self.trace(Verb::Delete, Kind::of(key), key.as_str(), request, end)
            .await
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        let end = |page: &Page| End {
            outcome: if page.next.is_some() {
                "page"
            } else {
                "last page"
            },
            bytes: 0,
        };
        let request = self.inner.list(prefix, after, limit);
        let kind = Kind::under(prefix);
        self.trace(Verb::List, kind, prefix.as_str(), request, end)
            .await
    }
}
