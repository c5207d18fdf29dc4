//! The port that codes.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, BucketError, Entropy, Expect, Fault, Object, Outcome, Page};

use crate::codec::{Codec, NONCE};

/// A bucket whose bodies are coded. Costs no request. Sizes in lists are those of the coded
/// bodies.
#[derive(Debug)]
pub struct Coded {
    inner: Arc<dyn Bucket>,
    codec: Codec,
    entropy: Arc<dyn Entropy>,
}

impl Coded {
    /// Codes what goes to `inner`; nonces come from `entropy`, which must be the system's.
    #[must_use]
    pub fn new(inner: Arc<dyn Bucket>, codec: Codec, entropy: Arc<dyn Entropy>) -> Self {
        Self {
            inner,
            codec,
            entropy,
        }
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Bucket for Coded {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        let Some(Object { body, version }) = self.inner.read(key).await? else {
            return Ok(None);
        };
        match self.codec.decode(key, &body) {
            Ok(body) => Ok(Some(Object { body, version })),
            Err(why) if why.is_ours() => {
                Err(BucketError::new(Fault::Denied, "read", key).because(why))
            }
            // C3. In the open it may be JSON, which must not be believed.
            Err(why) => {
                tracing::warn!(%key, %why, "an object cannot be decoded");
                let body = Bytes::from_static(b"\0undecoded");
                Ok(Some(Object { body, version }))
            }
        }
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        let mut nonce = [0; NONCE];
        if !self.codec.is_idle() {
            self.entropy.fill(&mut nonce);
        }
        let body = self
            .codec
            .encode(key, body, nonce)
            .map_err(|error| BucketError::new(Fault::Invalid, "write", key).because(error))?;
        self.inner.write(key, body, expect).await
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        self.inner.delete(key).await
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        self.inner.list(prefix, after, limit).await
    }
}
