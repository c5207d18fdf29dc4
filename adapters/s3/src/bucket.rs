//! The implementation of the port.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use aws_sdk_s3::Client;
use bytes::Bytes;
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, BucketError, Expect, Object, Outcome, Page};
use millpond_host::StoreTime;

use crate::names::Root;
use crate::reply::Reply;
use crate::watch::Watch;

/// A bucket accessed through the S3 protocol. Its requests need a tokio runtime with time and I/O
/// enabled; they share one connection pool. Each call is one request (S1), each list at least one.
#[derive(Debug)]
pub struct S3Bucket {
    pub(crate) client: Client,
    pub(crate) name: String,
    pub(crate) root: Root,
    pub(crate) express: bool,
    pub(crate) request_timeout: Duration,
    pub(crate) time: Arc<StoreTime>,
}

impl S3Bucket {
    /// The store's time, derived from its responses: the clock that a worker should use.
    #[must_use]
    pub const fn time(&self) -> &Arc<StoreTime> {
        &self.time
    }

    pub(crate) fn watch(&self) -> Watch {
        Watch::new(&self.time)
    }

    /// Abandons a request at its timeout. A request already sent may still land.
    pub(crate) async fn in_time<T>(
        &self,
        watch: &Watch,
        request: impl Future<Output = Result<T, Reply>>,
    ) -> Result<T, Reply> {
        let limit = self.request_timeout;
        match tokio::time::timeout(limit, Box::pin(request)).await {
            Ok(answer) => answer,
            Err(_) => {
                let why = format!("no answer in time: limit={limit:?}");
                Err(match watch.was_sent() {
                    true => Reply::Lost(why),
                    false => Reply::NeverSent(why),
                })
            }
        }
    }
}

#[async_trait]
impl Bucket for S3Bucket {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        self.get(key).await
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        self.put(key, &body, &expect).await
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        self.remove(key).await
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        self.page(prefix, after, limit).await
    }
}
