//! An engine in this process: past the functions, their policies and their limits.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use millpond::doors::{Bucket, Clock, Doorbell, Doors};
use millpond::runtime::{App, Engine, Host};
use millpond::settings::Settings;
use millpond_host::{OsEntropy, StoreClock, TokioSpawner};
use millpond_s3::S3Bucket;
use millpond_servers::Place;

use crate::scene::Scene;

/// A clock that is behind.
#[derive(Debug)]
struct Behind {
    clock: StoreClock,
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

impl Scene {
    /// An engine on the bucket, for who looks or is quick. Call it within a runtime.
    ///
    /// # Panics
    /// The bucket cannot be opened.
    pub async fn engine(&self, app: App) -> Engine {
        self.engine_before(Duration::ZERO, app).await
    }

    /// The same, for which it is so much earlier: what it does has been done for so long.
    ///
    /// # Panics
    /// The bucket cannot be opened.
    pub async fn engine_before(&self, by: Duration, app: App) -> Engine {
        let options = self.url().parse().expect("it is a good URL");
        let bucket = S3Bucket::open_as(&options, Place::ID, Place::SECRET).await;
        let bucket = Arc::new(bucket.expect("the bucket opens"));
        let settings = Settings {
            ttl: self.setting.ttl,
            ..Settings::default()
        };
        let doors = Doors {
            clock: Arc::new(Behind {
                clock: StoreClock::new(Arc::clone(bucket.time())),
                by,
            }),
            bucket: bucket as Arc<dyn Bucket>,
            entropy: Arc::new(OsEntropy::default()),
            wakeups: Arc::new(Doorbell::default()),
            spawner: Arc::new(TokioSpawner::current()),
        };
        let host = Host {
            worker: "scene".to_owned(),
            site: "scene".to_owned(),
            code_ref: "20260101T000000-scene".to_owned(),
        };
        Engine::with_settings(doors, app, host, settings).expect("the application holds together")
    }
}
