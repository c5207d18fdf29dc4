//! A bucket that encodes and decodes bodies.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, BucketError, Entropy, Expect, Fault, Object, Outcome, Page, Verb};

use crate::codec::{Codec, NONCE};
use crate::pond::Pond;

/// A bucket that encodes every body. Encoding costs no request. The sizes in lists are those of the
/// encoded bodies.
#[derive(Debug)]
pub struct Coded {
    inner: Arc<dyn Bucket>,
    codec: Codec,
    entropy: Arc<dyn Entropy>,
    pond: Arc<Pond>,
}

impl Coded {
    /// Encodes the bodies written to `inner`, whose pond is `pond`; nonces come from `entropy`, which
    /// must be the operating system's.
    #[must_use]
    pub fn new(
        inner: Arc<dyn Bucket>,
        codec: Codec,
        entropy: Arc<dyn Entropy>,
        pond: Arc<Pond>,
    ) -> Self {
        Self {
            inner,
            codec,
            entropy,
            pond,
        }
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Bucket for Coded {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        if Pond::is_at(key) {
            return self.inner.read(key).await; // it is never encoded
        }
        let pond = match self.codec.is_encrypted() {
            true => self.pond.id().await?,
            false => None,
        };
        let Some(Object { body, version }) = self.inner.read(key).await? else {
            return Ok(None);
        };
        match self.codec.decode(key, pond, &body) {
            Ok(body) => Ok(Some(Object { body, version })),
            Err(why) if why.is_ours() => {
                Err(BucketError::new(Fault::Denied, Verb::Read, key).because(why))
            }
            // C3. An unencrypted body may be valid JSON, which the engine must not accept.
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
        let pond = match self.codec.is_encrypted() {
            true => Some(self.pond.id_for_writing().await?),
            false => None,
        };
        let verb = Verb::writing(&expect);
        let body = self
            .codec
            .encode(key, pond, body, nonce)
            .map_err(|error| BucketError::new(Fault::Invalid, verb, key).because(error))?;
        self.inner.write(key, body, expect).await
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        if self.codec.is_encrypted() {
            self.pond.read_first().await?;
        }
        self.inner.delete(key).await
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        if self.codec.is_encrypted() {
            self.pond.read_first().await?;
        }
        self.inner.list(prefix, after, limit).await
    }
}
