//! The four operations of the port.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use millpond::keys::{Key, Prefix};
use millpond::ports::{
    Bucket, BucketError, Clock, Expect, Fault, Listed, Object, Outcome, Page, Verb,
};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{Error, ObjectMeta, ObjectStore, ObjectStoreExt as _, PutMode, PutPayload};

use crate::list::Lister;
use crate::map::{self, Naming, Tried};
use crate::reply::recording;

/// Attempts of a write that conflicts with concurrent writes (409).
const TRIES: u32 = 6;
/// First pause between attempts; doubled each time.
const PAUSE: Duration = Duration::from_millis(20);

/// A bucket accessed through the `object_store` crate.
pub struct ObjectStoreBucket {
    store: Arc<dyn ObjectStore>,
    lister: Lister,
    naming: Naming,
    clock: Arc<dyn Clock>,
    /// The prefix of each key: empty, or ends in `/`.
    root: String,
}

impl ObjectStoreBucket {
    pub(crate) fn new(
        store: Arc<dyn ObjectStore>,
        lister: Lister,
        naming: Naming,
        clock: Arc<dyn Clock>,
        root: &str,
    ) -> Self {
        let root = match root {
            "" => String::new(),
            root => format!("{root}/"),
        };
        Self {
            store,
            lister,
            naming,
            clock,
            root,
        }
    }

    /// The crate's own in-memory store, for tests of this adapter.
    #[must_use]
    pub fn memory(clock: Arc<dyn Clock>) -> Self {
        let store = Arc::new(InMemory::new());
        let lister = Lister::Whole(Arc::clone(&store) as Arc<dyn ObjectStore>);
        Self::new(store, lister, Naming::ETag, clock, "in/memory")
    }

    fn path(&self, verb: Verb, key: &Key) -> Result<Path, BucketError> {
        let text = format!("{}{key}", self.root);
        Path::parse(text)
            .map_err(|error| BucketError::new(Fault::Invalid, verb, key).because(error))
    }

    /// One row of a page; `None` if the name is not a valid key (an object of another program).
    fn row(&self, meta: &ObjectMeta) -> Option<Listed> {
        let key = meta.location.as_ref().strip_prefix(&self.root)?;
        let at = meta.last_modified;
        let nanos = i32::try_from(at.timestamp_subsec_nanos()).unwrap_or(0);
        Some(Listed {
            key: Key::parse(key).ok()?,
            modified: Timestamp::new(at.timestamp(), nanos).unwrap_or(Timestamp::UNIX_EPOCH),
            size: meta.size,
        })
    }
}

impl fmt::Debug for ObjectStoreBucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectStoreBucket")
            .field("store", &self.store.to_string())
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Bucket for ObjectStoreBucket {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        let path = self.path(Verb::Read, key)?;
        let got = async {
            let got = self.store.get(&path).await?;
            let (etag, generation) = (got.meta.e_tag.clone(), got.meta.version.clone());
            Ok::<_, Error>((got.bytes().await?, etag, generation))
        };
        let (answer, reply) = recording(got).await;
        let (body, etag, generation) = match answer {
            Ok(got) => got,
            Err(error) => match map::failed(&error, &reply) {
                None => return Ok(None),
                Some(fault) => return Err(map::error(fault, Verb::Read, key, error, &reply)),
            },
        };
        let Some(version) = self.naming.version(etag.as_deref(), generation.as_deref()) else {
            let error = BucketError::new(Fault::Invalid, Verb::Read, key);
            return Err(error.because("the store does not name the version"));
        };
        Ok(Some(Object { body, version }))
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        let verb = Verb::writing(&expect);
        let path = self.path(verb, key)?;
        let mode = match &expect {
            Expect::Absent => PutMode::Create,
            Expect::At(version) => PutMode::Update(self.naming.condition(version)),
        };
        let mut tries = 1;
        loop {
            let payload = PutPayload::from_bytes(body.clone());
            let put = self.store.put_opts(&path, payload, mode.clone().into());
            let (answer, reply) = recording(put).await;
            match map::write(self.naming, &expect, answer, &reply) {
                Tried::Ended(outcome) => return Ok(outcome),
                Tried::Failed(fault, error) => {
                    return Err(map::error(fault, verb, key, error, &reply));
                }
                Tried::Conflict(error) if tries == TRIES => {
                    let fault = Fault::Unavailable;
                    return Err(map::error(fault, verb, key, error, &reply));
                }
                Tried::Conflict(_) => {
                    self.clock.sleep(PAUSE * 2_u32.pow(tries - 1)).await;
                    tries += 1;
                }
            }
        }
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        let path = self.path(Verb::Delete, key)?;
        let (answer, reply) = recording(self.store.delete(&path)).await;
        let Err(error) = answer else {
            return Ok(());
        };
        match map::failed(&error, &reply) {
            None => Ok(()),
            Some(fault) => Err(map::error(fault, Verb::Delete, key, error, &reply)),
        }
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        let under = format!("{}{prefix}", self.root);
        let after = after.map(|key| format!("{}{key}", self.root));
        let ours = |meta: &ObjectMeta| self.row(meta).is_some();
        let page = self.lister.page(&under, after.as_deref(), limit, ours);
        let (answer, reply) = recording(page).await;
        let (rows, more) = answer.map_err(|error| {
            let fault = map::failed(&error, &reply).unwrap_or(Fault::Gone);
            map::error(fault, Verb::List, prefix, error, &reply)
        })?;
        // A store with folders (Azure's hierarchical namespace) orders by path component.
        if !rows.is_sorted_by(|a, b| a.location.as_ref() < b.location.as_ref()) {
            let error = BucketError::new(Fault::Invalid, Verb::List, prefix);
            return Err(error.because("the store does not list in the order of bytes"));
        }
        let entries = rows.iter().filter_map(|meta| self.row(meta)).collect();
        Ok(Page::new(entries, more))
    }
}
