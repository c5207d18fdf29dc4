//! A bucket in memory.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;

use crate::keys::{Key, Prefix};
use crate::ports::{Bucket, BucketError, Clock, Expect, Listed, Object, Outcome, Page, Version};
#[cfg(test)]
use crate::testing::Mirror;

/// A bucket in memory for one process. Its objects live as long as the value. It never fails.
#[derive(Debug)]
pub struct MemoryBucket {
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    objects: BTreeMap<Key, Stored>,
    /// Counts writes over all keys, so that no version repeats, even after a delete.
    writes: u64,
    recorded: Option<Vec<(Key, Bytes)>>,
    /// A real store that receives the same requests, for the engine's own tests only.
    #[cfg(test)]
    mirror: Option<Mirror>,
}

#[derive(Debug, Clone)]
struct Stored {
    body: Bytes,
    version: Version,
    modified: Timestamp,
}

impl MemoryBucket {
    /// Creates an empty bucket that takes `modified` from `clock`.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            state: Mutex::new(State {
                #[cfg(test)]
                mirror: Mirror::of_environment(),
                ..State::default()
            }),
        }
    }

    /// Creates an empty bucket that mirrors its requests to the store at `address`.
    #[cfg(test)]
    pub(crate) fn mirrored(clock: Arc<dyn Clock>, address: &str) -> Self {
        let mirror = Some(Mirror::connect(address));
        let state = Mutex::new(State {
            mirror,
            ..State::default()
        });
        Self { clock, state }
    }

    /// Returns all objects in byte order of their keys.
    #[must_use]
    pub fn snapshot(&self) -> Vec<(Key, Bytes)> {
        let state = self.lock();
        let objects = state.objects.iter();
        objects
            .map(|(key, stored)| (key.clone(), stored.body.clone()))
            .collect()
    }

    /// Records every body written from now on, so that a test can check that a text was never in
    /// the bucket.
    pub fn record(&self) {
        self.lock().recorded.get_or_insert_default();
    }

    /// Returns every write since [`record`](Self::record), in order.
    #[must_use]
    pub fn recorded(&self) -> Vec<(Key, Bytes)> {
        self.lock().recorded.clone().unwrap_or_default()
    }

    /// Returns the number of objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().objects.len()
    }

    /// Returns true if there are no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics between two changes of the state: a poisoned one is still consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn find(&self, key: &Key) -> Option<Object> {
        self.objects.get(key).map(|stored| Object {
            body: stored.body.clone(),
            version: stored.version.clone(),
        })
    }

    fn meets(&self, key: &Key, expect: &Expect) -> bool {
        let current = self.objects.get(key).map(|stored| &stored.version);
        match (expect, current) {
            (Expect::Absent, None) => true,
            (Expect::At(wanted), Some(version)) => wanted == version,
            (Expect::Absent, Some(_)) | (Expect::At(_), None) => false,
        }
    }

    fn page(&self, prefix: &Prefix, after: Option<&Key>, limit: usize) -> Page {
        let from = match after.map(Key::as_str) {
            Some(after) if after >= prefix.as_str() => Bound::Excluded(after),
            _ => Bound::Included(prefix.as_str()),
        };
        let mut rest = self
            .objects
            .range::<str, _>((from, Bound::Unbounded))
            .take_while(|(key, _)| key.is_under(prefix));
        let entries = rest
            .by_ref()
            .take(limit)
            .map(|(key, stored)| Listed {
                key: key.clone(),
                modified: stored.modified,
                size: stored.body.len() as u64,
            })
            .collect();
        let more = rest.next().is_some();
        Page::new(entries, more)
    }
}

#[async_trait]
impl Bucket for MemoryBucket {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        let state = self.lock();
        let found = state.find(key);
        #[cfg(test)]
        if let Some(mirror) = &state.mirror {
            mirror.read(key, found.as_ref());
        }
        Ok(found)
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        let modified = self.clock.now();
        let mut state = self.lock();
        let met = state.meets(key, &expect);
        #[cfg(test)]
        let named = match &state.mirror {
            Some(mirror) => mirror.write(key, &body, &expect, met),
            None => None,
        };
        if !met {
            return Ok(Outcome::Refused);
        }
        state.writes += 1;
        let version = Version::new(format!("v{}", state.writes));
        #[cfg(test)]
        let version = match named {
            Some(named) => named.beside(&version),
            None => version,
        };
        if let Some(recorded) = &mut state.recorded {
            recorded.push((key.clone(), body.clone()));
        }
        let stored = Stored {
            body,
            version: version.clone(),
            modified,
        };
        state.objects.insert(key.clone(), stored);
        Ok(Outcome::Landed(version))
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        let mut state = self.lock();
        #[cfg(test)]
        if let Some(mirror) = &state.mirror {
            mirror.delete(key);
        }
        state.objects.remove(key);
        Ok(())
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        let state = self.lock();
        let page = state.page(prefix, after, limit);
        #[cfg(test)]
        if let Some(mirror) = &state.mirror {
            mirror.list(prefix, after, limit, &page);
        }
        Ok(page)
    }
}
