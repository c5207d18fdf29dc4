//! A bucket whose requests end.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures::FutureExt;

use super::{Bucket, BucketError, Clock, Expect, Fault, Object, Outcome, Page, Verb};
use crate::keys::{Key, Prefix};

/// The additional time for each MiB that a write sends.
const PER_MIB: Duration = Duration::from_secs(1);

/// Abandons a request that has no reply after a time: a store that accepts requests and does not
/// answer would otherwise occupy every run of a worker. **\[R\] N13**
#[derive(Debug)]
pub(crate) struct TimedBucket {
    inner: Arc<dyn Bucket>,
    clock: Arc<dyn Clock>,
    limit: Duration,
}

impl TimedBucket {
    /// Abandons requests to `inner` after `limit`, and one second more for each MiB of a write.
    pub(crate) fn new(inner: Arc<dyn Bucket>, clock: Arc<dyn Clock>, limit: Duration) -> Self {
        Self {
            inner,
            clock,
            limit,
        }
    }

    /// Returns the reply, or `None` if none came within `limit`; `Duration::MAX` is no limit.
    async fn within<T>(
        &self,
        limit: Duration,
        request: impl Future<Output = T> + Send,
    ) -> Option<T> {
        if limit == Duration::MAX {
            return Some(request.await);
        }
        futures::select_biased! {
            reply = Box::pin(request).fuse() => Some(reply),
            () = self.clock.sleep(limit).fuse() => None,
        }
    }

    fn no_reply(&self, verb: Verb, key: impl std::fmt::Display) -> BucketError {
        let limit = self.limit;
        BucketError::new(Fault::Unavailable, verb, key).because(format!("no reply in {limit:?}"))
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Bucket for TimedBucket {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        let reply = self.within(self.limit, self.inner.read(key)).await;
        reply.unwrap_or_else(|| Err(self.no_reply(Verb::Read, key)))
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        let mib = u32::try_from(body.len() >> 20).unwrap_or(u32::MAX);
        let limit = self.limit.saturating_add(PER_MIB.saturating_mul(mib));
        let reply = self
            .within(limit, self.inner.write(key, body, expect))
            .await;
        reply.unwrap_or(Ok(Outcome::Unknown)) // it may have landed, or may still land
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        let reply = self.within(self.limit, self.inner.delete(key)).await;
        reply.unwrap_or_else(|| Err(self.no_reply(Verb::Delete, key)))
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        let request = self.inner.list(prefix, after, limit);
        let reply = self.within(self.limit, request).await;
        reply.unwrap_or_else(|| Err(self.no_reply(Verb::List, prefix)))
    }
}
