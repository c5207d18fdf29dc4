//! The port itself: each verb is one step on a thread that may block.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, BucketError, Expect, Fault, Object, Outcome, Page};
use tokio::task::{JoinError, spawn_blocking};

use crate::fault::Trouble;
use crate::lock::Shards;
use crate::open::{OpenError, Options, open};
use crate::store::Store;

/// A bucket in a folder. Any number of processes on one machine may share it.
///
/// Its requests need a tokio runtime. A request whose future is dropped goes on to its end.
/// If the folder goes away the bucket answers [`Fault::Gone`] and never makes it again; when
/// it comes back the bucket works again.
#[derive(Debug)]
pub struct DiskBucket {
    pub(crate) store: Arc<Store>,
    shards: Shards,
}

impl DiskBucket {
    /// Opens the bucket in the folder `path`. Blocks for a few file operations.
    ///
    /// # Errors
    /// [`OpenError`] names the path and what is wrong with it.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Self, OpenError> {
        let store = open(path.as_ref(), options)?;
        Ok(Self {
            shards: Shards::new(&store.own),
            store: Arc::new(store),
        })
    }

    /// The folder, as an absolute path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.store.root
    }
}

#[async_trait]
impl Bucket for DiskBucket {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        let (store, at) = (Arc::clone(&self.store), key.clone());
        let done = spawn_blocking(move || store.read(&at)).await;
        answer("read", key.as_str(), done)
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        let mut shard = self.shards.enter(key).await;
        let (store, at) = (Arc::clone(&self.store), key.clone());
        let done = spawn_blocking(move || store.write(&mut shard, &at, &body, &expect)).await;
        match done {
            // Nobody knows how far it came.
            Err(_) => Ok(Outcome::Unknown),
            done => answer("write", key.as_str(), done),
        }
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        let mut shard = self.shards.enter(key).await;
        let (store, at) = (Arc::clone(&self.store), key.clone());
        let done = spawn_blocking(move || store.delete(&mut shard, &at)).await;
        answer("delete", key.as_str(), done)
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        let (store, under, after) = (Arc::clone(&self.store), prefix.clone(), after.cloned());
        let done = spawn_blocking(move || store.list(&under, after.as_ref(), limit)).await;
        answer("list", prefix.as_str(), done)
    }
}

/// What a finished step answers; one that did not finish (the runtime is going down) has no
/// answer.
fn answer<T>(
    verb: &'static str,
    key: &str,
    done: Result<Result<T, Trouble>, JoinError>,
) -> Result<T, BucketError> {
    match done {
        Ok(answer) => answer.map_err(|trouble| trouble.of(verb, key)),
        Err(error) => Err(BucketError::new(Fault::Unavailable, verb, key).because(error)),
    }
}
