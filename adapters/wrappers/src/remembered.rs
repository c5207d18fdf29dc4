//! A bucket with a cache of its immutable objects.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use millpond::keys::{Key, Kind, Prefix};
use millpond::ports::{Bucket, BucketError, Expect, Object, Outcome, Page};

/// Caches segments and large values: their keys identify their bytes, and they are never changed. A
/// repeated read costs no request. All other requests pass through.
///
/// An object that was deleted meanwhile may still be read here; only unreferenced objects are
/// deleted.
#[derive(Debug)]
pub struct Remembered {
    inner: Arc<dyn Bucket>,
    most: usize,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    objects: BTreeMap<Key, Object>,
    /// In order of arrival.
    order: VecDeque<Key>,
    bytes: usize,
}

impl Remembered {
    /// Caches objects read from `inner`, up to `most` bytes; the oldest are evicted first.
    #[must_use]
    pub fn new(inner: Arc<dyn Bucket>, most: usize) -> Self {
        Self {
            inner,
            most,
            known: Mutex::default(),
        }
    }

    fn remember(&self, key: &Key, object: &Object) {
        if object.body.len() > self.most {
            return;
        }
        let mut known = self.lock();
        if known.objects.insert(key.clone(), object.clone()).is_some() {
            return;
        }
        known.order.push_back(key.clone());
        known.bytes += object.body.len();
        while known.bytes > self.most
            && let Some(oldest) = known.order.pop_front()
        {
            if let Some(gone) = known.objects.remove(&oldest) {
                known.bytes -= gone.body.len();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // No code panics under this lock.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Bucket for Remembered {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        let stays = matches!(Kind::of(key), Kind::Segment | Kind::Blob);
        if stays && let Some(object) = self.lock().objects.get(key) {
            return Ok(Some(object.clone()));
        }
        let found = self.inner.read(key).await?;
        if stays && let Some(object) = &found {
            self.remember(key, object);
        }
        Ok(found)
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        self.inner.write(key, body, expect).await
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        let forgotten = {
            let mut known = self.lock();
            let gone = known.objects.remove(key);
            known.bytes -= gone.as_ref().map_or(0, |object| object.body.len());
            gone.is_some()
        };
        if forgotten {
            self.lock().order.retain(|kept| kept != key);
        }
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

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use millpond::domain::ExecutionId;
    use millpond::keys;
    use millpond_testing::{CountingBucket, ManualClock, MemoryBucket};

    use super::*;

    fn eid() -> ExecutionId {
        ExecutionId::parse("00000000-0000-4000-8000-000000000001").expect("an id")
    }

    fn world(most: usize) -> (Arc<CountingBucket>, Remembered) {
        let start = "2026-01-01T00:00:00Z".parse().expect("an instant");
        let memory = MemoryBucket::new(Arc::new(ManualClock::new(start)));
        let counting = Arc::new(CountingBucket::new(Arc::new(memory)));
        let inner = Arc::clone(&counting) as Arc<dyn Bucket>;
        (counting, Remembered::new(inner, most))
    }

    fn create(bucket: &Remembered, key: &Key, body: &str) {
        let body = Bytes::copy_from_slice(body.as_bytes());
        let outcome = block_on(bucket.write(key, body, Expect::Absent));
        assert!(matches!(outcome, Ok(Outcome::Landed(_))));
    }

    fn read(bucket: &Remembered, key: &Key) -> Option<Bytes> {
        block_on(bucket.read(key))
            .unwrap()
            .map(|object| object.body)
    }

    #[test]
    fn what_cannot_change_is_read_once_and_a_head_each_time() {
        let (counting, bucket) = world(100);
        let (blob, head) = (keys::blob(&eid(), &"0a".repeat(32)), keys::head(&eid()));
        for key in [&blob, &head] {
            create(&bucket, key, "body");
            for _ in 0..3 {
                assert_eq!(read(&bucket, key).as_deref(), Some(b"body".as_slice()));
            }
        }
        assert_eq!(counting.counts().reads, 1 + 3);
        block_on(bucket.delete(&blob)).unwrap();
        assert_eq!(read(&bucket, &blob), None, "deleted here is forgotten");
    }

    #[test]
    fn what_is_remembered_is_bounded_and_the_oldest_go_first() {
        let (counting, bucket) = world(10);
        let blobs: Vec<_> = ["0a", "0b", "0c"]
            .map(|byte| keys::blob(&eid(), &byte.repeat(32)))
            .into();
        for blob in &blobs {
            create(&bucket, blob, "4444");
            read(&bucket, blob);
        }
        let before = counting.counts().reads;
        read(&bucket, &blobs[2]);
        read(&bucket, &blobs[1]);
        assert_eq!(counting.counts().reads, before);
        read(&bucket, &blobs[0]);
        assert_eq!(counting.counts().reads, before + 1);
    }

    #[test]
    fn what_is_absent_is_asked_for_again() {
        let (counting, bucket) = world(100);
        let blob = keys::blob(&eid(), &"0a".repeat(32));
        assert_eq!(read(&bucket, &blob), None);
        create(&bucket, &blob, "late");
        assert!(read(&bucket, &blob).is_some());
        assert_eq!(counting.counts().reads, 2);
    }
}
