//! The pond, as this process uses it: an engine that starts and reads executions, and runs none.

use std::sync::Arc;

use millpond::client::{Engine, EngineError, Host};
use millpond::keys::Prefix;
use millpond::ports::{Bucket, Clock, Doorbell, Ports};
use millpond_host::{OsEntropy, StoreClock, SystemClock, TokioSpawner};
use millpond_s3::S3Bucket;
use millpond_sqlite::{Options, SqliteBucket};
use tokio::runtime::Runtime;

use super::Trouble;
use super::place::{Ground, Place};
use crate::app;

/// A bucket with the application on it.
#[derive(Debug)]
pub(super) struct Pond {
    pub(super) runtime: Runtime,
    pub(super) bucket: Arc<dyn Bucket>,
    pub(super) engine: Engine,
    clock: Arc<dyn Clock>,
}

impl Pond {
    pub(super) fn create(place: &Place) -> Result<Self, Trouble> {
        let runtime = Runtime::new().map_err(Trouble::os("starting a runtime"))?;
        let (bucket, clock): (Arc<dyn Bucket>, Arc<dyn Clock>) = match &place.pond {
            Ground::File(path) => {
                let bucket = SqliteBucket::open(path, Options::default())?;
                (Arc::new(bucket), Arc::new(SystemClock::new()))
            }
            Ground::S3(options) => {
                let bucket = runtime.block_on(S3Bucket::open(options))?;
                let clock = StoreClock::new(Arc::clone(bucket.time()));
                (Arc::new(bucket), Arc::new(clock))
            }
        };
        // A file was checked together with the ledger: this checks other stores.
        let all = Prefix::all();
        let first = bucket.list(&all, None, 1);
        let first = runtime.block_on(first).map_err(EngineError::from)?;
        if !first.entries.is_empty() {
            let place = place.bucket();
            return Err(Trouble::Taken { place });
        }
        let engine = engine(&runtime, Arc::clone(&bucket), Arc::clone(&clock))?;
        Ok(Self {
            runtime,
            bucket,
            engine,
            clock,
        })
    }

    /// Another engine, on `bucket`: this pond's bucket inside a counting wrapper.
    pub(super) fn engine_on(&self, bucket: Arc<dyn Bucket>) -> Result<Engine, Trouble> {
        engine(&self.runtime, bucket, Arc::clone(&self.clock))
    }
}

/// An engine with a doorbell of its own, which other engines do not notify.
fn engine(
    runtime: &Runtime,
    bucket: Arc<dyn Bucket>,
    clock: Arc<dyn Clock>,
) -> Result<Engine, Trouble> {
    let ports = Ports {
        bucket,
        clock,
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
    Ok(Engine::new(ports, app(), host)?)
}
