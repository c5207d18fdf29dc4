//! Engines in this process, which bypass the functions, their policies and their limits.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use millpond::client::{App, Engine, Host};
use millpond::ports::{Bucket, Clock, Doorbell, Ports};
use millpond::settings::Settings;
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
        self.engine_ahead(SignedDuration::ZERO, app).await
    }

    /// As [`engine`](Self::engine), with a clock that is ahead of the store's by this time, and leases
    /// of the duration that the functions have.
    ///
    /// # Panics
    /// If the bucket cannot be opened.
    pub async fn engine_ahead(&self, ahead: SignedDuration, app: App) -> Engine {
        let options = self.url().parse().expect("it is a good URL");
        let bucket = S3Bucket::open_as(&options, Place::ID, Place::SECRET).await;
        let bucket = Arc::new(bucket.expect("the bucket opens"));
        let clock = StoreClock::new(Arc::clone(bucket.time()));
        over(
            bucket,
            Arc::new(Ahead { clock, ahead }),
            app,
            self.setting.ttl,
        )
    }
}

/// An in-memory engine whose clock is behind by this time. Must be called within a runtime.
pub(crate) fn earlier(by: Duration, app: App) -> (Arc<MemoryBucket>, Engine) {
    let clock = SystemClock::new();
    let ahead = -SignedDuration::try_from(by).expect("it is a time that a clock can have");
    let clock: Arc<dyn Clock> = Arc::new(Ahead { clock, ahead });
    let bucket = Arc::new(MemoryBucket::new(Arc::clone(&clock)));
    let ttl = Settings::default().ttl;
    let engine = over(Arc::clone(&bucket) as Arc<dyn Bucket>, clock, app, ttl);
    (bucket, engine)
}

fn over(bucket: Arc<dyn Bucket>, clock: Arc<dyn Clock>, app: App, ttl: Duration) -> Engine {
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
    let settings = Settings {
        ttl,
        ..Settings::default()
    };
    Engine::with_settings(ports, app, host, settings).expect("the application holds together")
}

/// A clock that is ahead of another one.
#[derive(Debug)]
struct Ahead<C> {
    clock: C,
    ahead: SignedDuration,
}

#[async_trait]
impl<C: Clock> Clock for Ahead<C> {
    fn now(&self) -> Timestamp {
        self.clock.now() + self.ahead
    }

    fn monotonic(&self) -> Duration {
        self.clock.monotonic()
    }

    async fn sleep(&self, duration: Duration) {
        self.clock.sleep(duration).await;
    }
}
