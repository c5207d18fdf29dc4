//! Engines in this process, which bypass the functions, their policies and their limits.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use millpond::client::{App, Engine, Host};
use millpond::ports::{Bucket, Clock, Doorbell, Ports};
use millpond_host::{OsEntropy, StoreClock, SystemClock, TokioSpawner};
use millpond_s3::S3Bucket;
use millpond_servers::Place;
use millpond_testing::MemoryBucket;

use crate::scene::Scene;

impl Scene {
    /// An engine on the bucket, for inspection. Must be called within a runtime.
    ///
    /// # Panics
    /// If the bucket cannot be opened.
    pub async fn engine(&self, app: App) -> Engine {
        let options = self.url().parse().expect("it is a good URL");
        let bucket = S3Bucket::open_as(&options, Place::ID, Place::SECRET).await;
        let bucket = Arc::new(bucket.expect("the bucket opens"));
        let clock = StoreClock::new(Arc::clone(bucket.time()));
        over(bucket, Arc::new(clock), app)
    }
}

/// An in-memory engine whose clock is behind by this time. Must be called within a runtime.
pub(crate) fn earlier(by: Duration, app: App) -> (Arc<MemoryBucket>, Engine) {
    let clock = SystemClock::new();
    let clock: Arc<dyn Clock> = Arc::new(Behind { clock, by });
    let bucket = Arc::new(MemoryBucket::new(Arc::clone(&clock)));
    let engine = over(Arc::clone(&bucket) as Arc<dyn Bucket>, clock, app);
    (bucket, engine)
}

fn over(bucket: Arc<dyn Bucket>, clock: Arc<dyn Clock>, app: App) -> Engine {
    let ports = Ports {
        bucket,
        clock,
        entropy: Arc::new(OsEntropy::default()),
        wakeups: Arc::new(Doorbell::default()),
        spawner: Arc::new(TokioSpawner::current()),
    };
    let host = Host {
        worker: "scene".to_owned(),
        site: "scene".to_owned(),
        code_ref: "20260101T000000-scene".to_owned(),
    };
    Engine::new(ports, app, host).expect("the application holds together")
}

/// A clock that is behind.
#[derive(Debug)]
struct Behind {
    clock: SystemClock,
    by: Duration,
}

#[async_trait]
impl Clock for Behind {
    fn now(&self) -> Timestamp {
        self.clock.now() - self.by
    }

    fn monotonic(&self) -> Duration {
        self.clock.monotonic()
    }

    async fn sleep(&self, duration: Duration) {
        self.clock.sleep(duration).await;
    }
}
