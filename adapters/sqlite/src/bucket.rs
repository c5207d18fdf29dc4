//! The implementation of the port.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use async_trait::async_trait;
use bytes::Bytes;
use futures::channel::oneshot;
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, BucketError, Expect, Fault, Object, Outcome, Page, Verb};

use crate::connection::Place;
use crate::open::{OpenError, Options};
use crate::readers::Readers;
use crate::requests::Request;
use crate::writer::Writer;

/// A bucket in one SQLite file. Any number of processes of one machine may share it; it does not
/// support network shares.
///
/// It needs no runtime: a dedicated thread performs the writes, and reads and lists run in place,
/// since reading a row from the page cache is faster than a switch to another thread. A request
/// whose future is dropped still runs to completion.
#[derive(Debug)]
pub struct SqliteBucket {
    place: Arc<Place>,
    readers: Readers,
    writer: Option<Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

impl SqliteBucket {
    /// Opens the bucket in the file `path`. Blocks for a few file operations.
    ///
    /// # Errors
    /// [`OpenError`] names the path and what is wrong with it.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Self, OpenError> {
        let (place, handle) = Place::open(path.as_ref(), options)?;
        let place = Arc::new(place);
        let writer =
            Writer::new(Arc::clone(&place), handle).map_err(|source| OpenError::Sqlite {
                path: place.path.clone(),
                source,
            })?;
        let (send, requests) = channel();
        let thread = thread::Builder::new()
            .name("millpond-sqlite".to_owned())
            .spawn(move || writer.serve(&requests))
            .map_err(|source| OpenError::Io {
                path: place.path.clone(),
                source,
            })?;
        Ok(Self {
            readers: Readers::new(Arc::clone(&place)),
            place,
            writer: Some(send),
            thread: Some(thread),
        })
    }

    fn ask(&self, request: Request) -> Result<(), Request> {
        match &self.writer {
            Some(writer) => writer.send(request).map_err(|unsent| unsent.0),
            None => Err(request),
        }
    }

    /// The file, as an absolute path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.place.path
    }
}

impl Drop for SqliteBucket {
    /// Closes the file: closing the last of all connections merges the log into it.
    fn drop(&mut self) {
        self.readers.close();
        self.writer = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::warn!("the writing thread has panicked");
        }
    }
}

#[async_trait]
impl Bucket for SqliteBucket {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        let found = self.readers.read(key);
        found.map_err(|trouble| trouble.of(Verb::Read, key.as_str()))
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        let (answer, done) = oneshot::channel();
        let verb = Verb::writing(&expect);
        let request = Request::Write {
            key: key.clone(),
            body,
            expect,
            answer,
        };
        if self.ask(request).is_err() {
            return Err(no_writer(verb, key));
        }
        // The thread may have ended before or after the commit.
        done.await.unwrap_or(Ok(Outcome::Unknown))
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        let (answer, done) = oneshot::channel();
        let key = key.clone();
        let request = Request::Delete {
            key: key.clone(),
            answer,
        };
        if self.ask(request).is_err() {
            return Err(no_writer(Verb::Delete, &key));
        }
        done.await
            .unwrap_or_else(|_| Err(no_writer(Verb::Delete, &key)))
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        let page = self.readers.list(prefix, after, limit);
        page.map_err(|trouble| trouble.of(Verb::List, prefix.as_str()))
    }
}

fn no_writer(verb: Verb, key: &Key) -> BucketError {
    BucketError::new(Fault::Unavailable, verb, key).because("the writing thread has ended")
}
