//! A bucket with a network delay.

use std::sync::Arc;
use std::time::Duration;

use crate::keys::{Key, Prefix};
use crate::ports::{Bucket, BucketError, Clock, Entropy, Expect, Object, Outcome, Page};
use crate::testing::SeededEntropy;
use async_trait::async_trait;
use bytes::Bytes;

/// Adds time to each request: half on the way to the store, half on the way back. With manual time,
/// a test can thus measure the number of sequential requests.
#[derive(Debug)]
pub struct Delayed {
    inner: Arc<dyn Bucket>,
    clock: Arc<dyn Clock>,
    least: Duration,
    spread: Duration,
    dice: SeededEntropy,
}

impl Delayed {
    /// Delays each request by `delay`.
    #[must_use]
    pub fn fixed(inner: Arc<dyn Bucket>, clock: Arc<dyn Clock>, delay: Duration) -> Self {
        Self::seeded(inner, clock, delay, delay, 0)
    }

    /// Delays each request by a duration between `least` and `most`, drawn from `seed`.
    #[must_use]
    pub fn seeded(
        inner: Arc<dyn Bucket>,
        clock: Arc<dyn Clock>,
        least: Duration,
        most: Duration,
        seed: u64,
    ) -> Self {
        Self {
            inner,
            clock,
            least,
            spread: most.saturating_sub(least),
            dice: SeededEntropy::new(seed),
        }
    }

    async fn travel<T>(&self, request: impl Future<Output = T>) -> T {
        let dice: &dyn Entropy = &self.dice;
        let delay = self.least + self.spread.mul_f64(dice.unit());
        let there = delay / 2;
        self.clock.sleep(there).await;
        let answer = request.await;
        self.clock.sleep(delay - there).await;
        answer
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Bucket for Delayed {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        self.travel(self.inner.read(key)).await
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        self.travel(self.inner.write(key, body, expect)).await
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        self.travel(self.inner.delete(key)).await
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        self.travel(self.inner.list(prefix, after, limit)).await
    }
}
