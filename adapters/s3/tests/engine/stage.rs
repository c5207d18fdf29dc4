//! One server, and processes beside it that work, watch and die.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use millpond::client::{
    App, Ended, Engine, Host, Notice, Start, Worker, WorkerEvent, WorkerOptions,
};
use millpond::domain::{ExecutionId, Failure};
use millpond::ports::{Bucket, Clock, Doorbell, Ports};
use millpond::settings::Settings;
use millpond_host::{OsEntropy, StoreClock, TokioSpawner};
use millpond_s3::S3Bucket;
use millpond_servers::{Place, Server};
use serde::de::DeserializeOwned;
use tokio::runtime::Runtime;
use tokio::sync::Notify;

/// Longer than anything takes on a machine that is busy with other things.
pub(crate) const LONG: Duration = Duration::from_secs(120);

/// A bucket of LocalStack that nobody else uses.
pub(crate) struct Store {
    _server: Server,
    place: Place,
}

impl Store {
    pub(crate) async fn fresh() -> Self {
        let server = Server::localstack();
        let place = server.fresh_bucket().await.below("team/pond");
        Self {
            _server: server,
            place,
        }
    }

    /// The bucket, with connections of its own.
    pub(crate) async fn open(&self) -> Arc<S3Bucket> {
        let options = self.place.url.parse().expect("it is a good URL");
        let bucket = S3Bucket::open_as(&options, self.place.id, self.place.secret).await;
        Arc::new(bucket.expect("it opens"))
    }

    /// Another process.
    pub(crate) async fn process(&self, app: App, settings: Settings) -> Process {
        let bucket = self.open().await;
        let clock = Arc::new(StoreClock::new(Arc::clone(bucket.time())));
        Process::new(bucket, clock, app, settings)
    }

    /// A process that works, with default settings.
    pub(crate) async fn at_work(app: App) -> (Self, Process) {
        let store = Self::fresh().await;
        let process = store.process(app, Settings::default()).await;
        process.work();
        (store, process)
    }
}

/// An engine with a runtime of its own, so that it can vanish with all its tasks.
pub(crate) struct Process {
    pub(crate) engine: Engine,
    log: Arc<Log>,
    stop: Notice,
    runtime: Option<Runtime>,
}

impl Process {
    pub(crate) fn new(
        bucket: Arc<dyn Bucket>,
        clock: Arc<dyn Clock>,
        app: App,
        settings: Settings,
    ) -> Self {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(2).enable_all().build();
        let runtime = runtime.expect("the system gives threads");
        let ports = Ports {
            bucket,
            clock,
            entropy: Arc::new(OsEntropy::default()),
            wakeups: Arc::new(Doorbell::default()),
            spawner: Arc::new(TokioSpawner::new(runtime.handle().clone())),
        };
        let host = Host {
            worker: "test".to_owned(),
            site: "test".to_owned(),
            code_ref: "20260101T000000-test".to_owned(),
        };
        let engine = Engine::with_settings(ports, app, host, settings);
        Self {
            engine: engine.expect("the application holds together"),
            log: Arc::default(),
            stop: Notice::new(),
            runtime: Some(runtime),
        }
    }

    /// Starts its worker.
    pub(crate) fn work(&self) {
        let log = Arc::clone(&self.log);
        let options = WorkerOptions {
            watch: Some(Arc::new(move |event| log.note(event))),
            ..WorkerOptions::default()
        };
        let (worker, stop) = (Worker::new(&self.engine, options), self.stop.clone());
        let runtime = self.runtime.as_ref().expect("it lives");
        runtime.spawn(async move { worker.run(&stop, &Notice::new()).await });
    }

    /// It vanishes: no task of it makes another step, no request of it leaves.
    pub(crate) fn kill(mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }

    pub(crate) async fn start(&self, start: Start) -> ExecutionId {
        self.engine.start(start).await.expect("it is started").eid
    }

    /// The value of an execution, or why it failed.
    pub(crate) async fn result<T: DeserializeOwned>(&self, eid: ExecutionId) -> Result<T, Failure> {
        let outcome = self.engine.result(eid, LONG).await;
        outcome.expect("it ends").get()
    }

    /// Waits until a run of `eid` by this worker was suspended.
    pub(crate) async fn suspended(&self, eid: ExecutionId) {
        let fits = |event: &WorkerEvent| match event {
            WorkerEvent::Ended(of, Ended::Suspended(_)) => *of == eid,
            _ => false,
        };
        let waited = tokio::time::timeout(LONG, self.log.until(fits)).await;
        waited.unwrap_or_else(|_| panic!("{eid} is not suspended: {:?}", self.log));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop.set();
        // A runtime may not end by itself where others are polled.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// What a worker did, and a bell.
#[derive(Debug, Default)]
struct Log {
    events: Mutex<Vec<WorkerEvent>>,
    reported: Notify,
}

impl Log {
    fn note(&self, event: &WorkerEvent) {
        self.events().push(event.clone());
        self.reported.notify_waiters();
    }

    fn events(&self) -> MutexGuard<'_, Vec<WorkerEvent>> {
        self.events.lock().expect("no holder panics")
    }

    async fn until(&self, fits: impl Fn(&WorkerEvent) -> bool) {
        loop {
            let mut reported = std::pin::pin!(self.reported.notified());
            reported.as_mut().enable();
            if self.events().iter().any(&fits) {
                return;
            }
            reported.await;
        }
    }
}
