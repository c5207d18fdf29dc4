//! A process on a bucket that is 15 ms away, on manual time.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures::future::join;
use millpond::client::{App, Engine, Notice, Worker, WorkerOptions};
use millpond::keys::{Key, Kind, Prefix};
use millpond::ports::{Bucket, BucketError, Clock, Expect, Object, Outcome, Page, Verb};
use millpond_testing::{Delayed, World};

/// What one request takes.
pub(crate) const FAR: Duration = Duration::from_millis(15);

/// One request, from sending to answer.
#[derive(Clone)]
pub(crate) struct Trip {
    pub(crate) sent: Duration,
    pub(crate) back: Duration,
    pub(crate) verb: Verb,
    pub(crate) kind: Kind,
    pub(crate) key: String,
}

impl fmt::Display for Trip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            sent,
            back,
            verb,
            key,
            ..
        } = self;
        write!(f, "{sent:>8.3?} to {back:>8.3?}  {verb:<8}{key}")
    }
}

/// Notes when each request was sent and answered.
#[derive(Debug)]
struct Noted {
    inner: Delayed,
    clock: Arc<dyn Clock>,
    trips: Mutex<Vec<Trip>>,
}

impl fmt::Debug for Trip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Noted {
    async fn note<T>(
        &self,
        (verb, kind, key): (Verb, Kind, &str),
        trip: impl Future<Output = T>,
    ) -> T {
        let sent = self.clock.monotonic();
        let answer = trip.await;
        let (back, key) = (self.clock.monotonic(), key.to_owned());
        self.trips.lock().expect("whole").push(Trip {
            sent,
            back,
            verb,
            kind,
            key,
        });
        answer
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Bucket for Noted {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        let what = (Verb::Read, Kind::of(key), key.as_str());
        self.note(what, self.inner.read(key)).await
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        let what = (Verb::writing(&expect), Kind::of(key), key.as_str());
        self.note(what, self.inner.write(key, body, expect)).await
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        let what = (Verb::Delete, Kind::of(key), key.as_str());
        self.note(what, self.inner.delete(key)).await
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        let what = (Verb::List, Kind::under(prefix), prefix.as_str());
        self.note(what, self.inner.list(prefix, after, limit)).await
    }
}

/// A process far from its bucket.
pub(crate) struct Process {
    pub(crate) world: World,
    noted: Arc<Noted>,
}

impl Process {
    pub(crate) fn new(app: App) -> Self {
        let mut world = World::new(App::new());
        let clock = Arc::clone(&world.clock) as Arc<dyn Clock>;
        let near = Arc::clone(&world.counting) as Arc<dyn Bucket>;
        let noted = Arc::new(Noted {
            inner: Delayed::fixed(near, Arc::clone(&clock), FAR),
            clock,
            trips: Mutex::default(),
        });
        let mut ports = world.engine.ports().clone();
        ports.bucket = Arc::clone(&noted) as Arc<dyn Bucket>;
        let host = world.engine.core().host.clone();
        world.engine = Engine::new(ports, app, host).expect("an application");
        Self { world, noted }
    }

    pub(crate) fn now(&self) -> Duration {
        self.world.clock.monotonic()
    }

    pub(crate) async fn sleep(&self, time: Duration) {
        self.world.clock.sleep(time).await;
    }

    /// Runs a worker beside `what`.
    pub(crate) fn beside<T>(&self, what: impl Future<Output = T>) -> T {
        let (stop, abandon) = (Notice::new(), Notice::new());
        let worker = Worker::new(&self.world.engine, WorkerOptions::default());
        let word = async {
            let value = what.await;
            stop.set();
            value
        };
        let both = join(worker.run(&stop, &abandon), word);
        self.world.block(both).1
    }

    /// The requests that were sent since `from` and name `eid` or its objects, in order.
    pub(crate) fn trips(&self, from: Duration, name: &str) -> Vec<Trip> {
        let trips = self.noted.trips.lock().expect("whole").clone();
        let mut trips: Vec<_> = trips
            .into_iter()
            .filter(|trip| trip.sent >= from && trip.key.contains(name))
            .collect();
        trips.sort_by_key(|trip| trip.sent);
        trips
    }
}

/// The trips in words, a line each.
pub(crate) fn reported(trips: &[Trip]) -> String {
    let lines: Vec<_> = trips.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
