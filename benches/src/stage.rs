//! An engine and a worker on one bucket.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use millpond::client::{Engine, Host, Notice, Signal, Start, Worker, WorkerOptions};
use millpond::domain::ExecutionId;
use millpond::ports::MemoryBucket;
use millpond::ports::{Bucket, Clock, Doorbell, Ports};
use millpond_host::{OsEntropy, SystemClock, TokioSpawner};
use millpond_sqlite::{Durability, OpenError, Options, SqliteBucket};
use tokio::task::JoinHandle;

/// Timeout for an execution; far more than any bench needs.
const LONG: Duration = Duration::from_secs(120);

/// Where the objects are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Store {
    /// In memory.
    Memory,
    /// In a file, without fsync.
    Relaxed,
    /// In a file, durable.
    Fsync,
}

/// A fresh bucket, and the folder that belongs to it.
///
/// # Panics
/// If the folder cannot be created.
#[must_use]
pub fn open(store: Store) -> (Arc<dyn Bucket>, Option<tempfile::TempDir>) {
    let durability = match store {
        Store::Memory => {
            return (
                Arc::new(MemoryBucket::new(Arc::new(SystemClock::default()))),
                None,
            );
        }
        Store::Relaxed => Durability::Relaxed,
        Store::Fsync => Durability::Fsync,
    };
    let folder = tempfile::tempdir().expect("a folder");
    let bucket = file_bucket(&folder.path().join("pond.db"), durability).expect("a bucket");
    (bucket, Some(folder))
}

/// Opens the bucket that `url` names: `memory:` or `sqlite:FILE`. `Relaxed` is without fsync, which
/// memory never needs.
///
/// # Errors
/// Names the URL that cannot be opened, and the reason.
pub fn open_url(url: &str, durability: Durability) -> Result<Arc<dyn Bucket>, String> {
    match url.split_once(':') {
        Some(("memory", "")) => Ok(open(Store::Memory).0),
        Some(("sqlite", path)) if !path.is_empty() => file_bucket(Path::new(path), durability)
            .map_err(|error| format!("no bucket at {url}: {error}")),
        _ => Err(format!("no bucket is called {url}")),
    }
}

fn file_bucket(path: &Path, durability: Durability) -> Result<Arc<dyn Bucket>, OpenError> {
    let options = Options {
        durability,
        ..Options::default()
    };
    Ok(Arc::new(SqliteBucket::open(path, options)?))
}

/// An engine with one worker.
#[derive(Debug)]
pub struct Stage {
    /// The engine.
    pub engine: Engine,
    stop: Notice,
    worker: Option<JoinHandle<()>>,
    _folder: Option<tempfile::TempDir>,
}

impl Stage {
    /// A fresh bucket with a worker. Must be called within a tokio runtime.
    ///
    /// # Panics
    /// If the folder cannot be created.
    #[must_use]
    pub fn new(store: Store) -> Self {
        let (bucket, folder) = open(store);
        Self::set(bucket, folder, WorkerOptions::default())
    }

    /// A worker with `options` on `bucket`. Must be called within a tokio runtime.
    ///
    /// # Panics
    /// If the application is inconsistent.
    #[must_use]
    pub fn on(bucket: Arc<dyn Bucket>, options: WorkerOptions) -> Self {
        Self::set(bucket, None, options)
    }

    fn set(
        bucket: Arc<dyn Bucket>,
        folder: Option<tempfile::TempDir>,
        options: WorkerOptions,
    ) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let ports = Ports {
            bucket,
            clock,
            entropy: Arc::new(OsEntropy::default()),
            wakeups: Arc::new(Doorbell::default()),
            spawner: Arc::new(TokioSpawner::current()),
        };
        let host = Host {
            worker: format!("bench-{}", std::process::id()),
            site: "bench".to_owned(),
            code_ref: "20260101T000000-bench".to_owned(),
        };
        let engine = Engine::new(ports, super::app(), host).expect("an application");
        let stop = Notice::new();
        let worker = Worker::new(&engine, options);
        let stopped = stop.clone();
        let worker = tokio::spawn(async move { worker.run(&stopped, &Notice::new()).await });
        Self {
            engine,
            stop,
            worker: Some(worker),
            _folder: folder,
        }
    }

    /// Stops the worker, and waits until it has handed over.
    ///
    /// # Panics
    /// If the worker has panicked.
    pub async fn close(mut self) {
        self.stop.set();
        if let Some(worker) = self.worker.take() {
            worker.await.expect("a worker that ends");
        }
    }

    /// Starts an execution.
    ///
    /// # Panics
    /// If the store fails.
    pub async fn start(&self, workflow: &str, n: u64) -> ExecutionId {
        let start = Start::new(workflow);
        let start = if workflow == "waits" {
            start
        } else {
            start.input(&n)
        };
        self.engine.start(start).await.expect("a start").eid
    }

    /// Waits for an execution's end.
    ///
    /// # Panics
    /// If it does not complete.
    pub async fn end(&self, eid: ExecutionId) -> u64 {
        let outcome = self.engine.result(eid, LONG).await.expect("an end");
        outcome.get().expect("a value")
    }

    /// Waits until an execution is suspended.
    ///
    /// # Panics
    /// If the store fails.
    pub async fn suspended(&self, eid: ExecutionId) {
        while self.engine.status(eid).await.expect("a status").as_str() != "suspended" {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Sends the message that `waits` and `replays` wait for.
    ///
    /// # Panics
    /// If the store fails.
    pub async fn signal(&self, eid: ExecutionId) {
        let _ = self
            .engine
            .signal(eid, Signal::on("in").value(&7_u64))
            .await
            .expect("a signal");
    }

    /// `count` executions of `workflow`, all concurrently.
    pub async fn many(&self, workflow: &str, n: u64, count: usize) {
        let starts = (0..count).map(|_| self.start(workflow, n));
        let eids = futures::future::join_all(starts).await;
        futures::future::join_all(eids.into_iter().map(|eid| self.end(eid))).await;
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.stop.set();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_opens_the_bucket_it_names_and_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("pond.db");
        open_url(&format!("sqlite:{}", file.display()), Durability::Relaxed).expect("a file's");
        assert!(file.is_file());
        open_url("memory:", Durability::Relaxed).expect("a bucket in memory");
        for url in ["pond", "file:pond", "sqlite:", "memory:x", "ftp:x", ""] {
            let why = open_url(url, Durability::Fsync).expect_err(url);
            assert!(why.contains(url), "{why}");
        }
    }
}
