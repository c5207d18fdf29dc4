//! The pond, seen from this process: an engine that starts and looks, and runs nothing.

use std::path::Path;
use std::sync::Arc;

use millpond::doors::{Bucket, Doorbell, Doors};
use millpond::runtime::{Engine, Host};
use millpond_disk::DiskBucket;
use millpond_host::{OsEntropy, SystemClock, TokioSpawner};
use tokio::runtime::Runtime;

use super::Trouble;
use crate::app;

/// A folder bucket with the application on it.
#[derive(Debug)]
pub(super) struct Pond {
    pub(super) runtime: Runtime,
    pub(super) bucket: Arc<dyn Bucket>,
    pub(super) engine: Engine,
}

impl Pond {
    pub(super) fn create(path: &Path) -> Result<Self, Trouble> {
        let runtime = Runtime::new().map_err(Trouble::os("starting a runtime"))?;
        let bucket: Arc<dyn Bucket> =
            Arc::new(DiskBucket::open(path, millpond_disk::Options::default())?);
        let engine = engine(&runtime, Arc::clone(&bucket))?;
        Ok(Self {
            runtime,
            bucket,
            engine,
        })
    }
}

/// An engine with a doorbell of its own: nothing that another one does rings it.
pub(super) fn engine(runtime: &Runtime, bucket: Arc<dyn Bucket>) -> Result<Engine, Trouble> {
    let doors = Doors {
        bucket,
        clock: Arc::new(SystemClock::new()),
        entropy: Arc::new(OsEntropy::new()),
        wakeups: Arc::new(Doorbell::default()),
        spawner: Arc::new(TokioSpawner::new(runtime.handle().clone())),
    };
    let pid = std::process::id();
    let host = Host {
        worker: format!("demo-{pid}"),
        site: format!("demo/{pid}"),
        code_ref: "00000000T000000-demo".to_owned(),
    };
    Ok(Engine::new(doors, app(), host)?)
}
