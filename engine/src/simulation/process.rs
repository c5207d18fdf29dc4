//! One process: its private state, and its end.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::clock::SkewedClock;
use super::gate::{Gate, GatedBucket};
use super::interpret::{Hands, register};
use super::{Extend, chronicle::Chronicle};
use crate::ExecutionId;
use crate::client::Engine;
use crate::ports::{Clock, Doorbell, Ports, Spawner};
use crate::process::{App, Host, Notice};
use crate::settings::Settings;
use crate::sweeper::Sweeper;
use crate::testing::{Pool, SeededEntropy};
use crate::worker::{Worker, WorkerOptions};

/// The maximum time between two polls of a worker, and between two sweeps.
const IDLE: Duration = Duration::from_secs(10);
const SWEEP: Duration = Duration::from_secs(15);

/// The state shared by all processes.
#[derive(Clone)]
pub(super) struct Stage {
    pub(super) gate: Arc<Gate>,
    pub(super) chronicle: Arc<Chronicle>,
    pub(super) roots: Arc<Vec<ExecutionId>>,
    pub(super) settings: Settings,
    pub(super) extend: Option<Extend>,
    pub(super) seed: u64,
}

pub(super) struct Process {
    pub(super) number: usize,
    pub(super) clock: Arc<SkewedClock>,
    /// The pool of its current life; none while it is down.
    pool: Option<Pool>,
    pub(super) restart: Option<Duration>,
    stop: Notice,
    life: u64,
}

impl Stage {
    pub(super) fn engine(
        &self,
        who: &str,
        seed: u64,
        clock: Arc<dyn Clock>,
        spawner: Arc<dyn Spawner>,
    ) -> Engine {
        let bucket = GatedBucket {
            gate: Arc::clone(&self.gate),
            who: who.to_owned(),
        };
        let ports = Ports {
            bucket: Arc::new(bucket),
            clock,
            entropy: Arc::new(SeededEntropy::new(seed)),
            wakeups: Arc::new(Doorbell::default()),
            spawner,
        };
        self.engine_on(ports, who)
    }

    pub(super) fn engine_on(&self, ports: Ports, who: &str) -> Engine {
        let hands = Hands {
            chronicle: Arc::clone(&self.chronicle),
            clock: Arc::clone(&ports.clock),
            worker: who.to_owned(),
            roots: Arc::clone(&self.roots),
        };
        let mut app = register(App::new(), &hands);
        if let Some(extend) = &self.extend {
            app = extend.0(app);
        }
        let host = Host {
            worker: who.to_owned(),
            site: "simulation".to_owned(),
            code_ref: "20260101T000000-simulation".to_owned(),
        };
        Engine::with_settings(ports, app, host, self.settings.clone())
            .unwrap_or_else(|error| panic!("the application does not hold together: {error}"))
    }
}

impl Process {
    pub(super) fn new(number: usize, clock: Arc<SkewedClock>) -> Self {
        Self {
            number,
            clock,
            pool: None,
            restart: Some(Duration::ZERO),
            stop: Notice::new(),
            life: 0,
        }
    }

    pub(super) fn lives(&self) -> u64 {
        self.life
    }

    pub(super) fn is_up(&self) -> bool {
        self.pool.is_some()
    }

    /// Starts a new life; `main` is the work of the process, given its engine.
    pub(super) fn boot(
        &mut self,
        stage: &Stage,
        name: &str,
        main: impl FnOnce(&Engine, &Notice) -> Vec<BoxFuture<'static, ()>>,
    ) {
        self.life += 1;
        self.restart = None;
        self.stop = Notice::new();
        let pool = Pool::new();
        let who = format!("{name}{}.{}", self.number, self.life);
        let seed = stage.seed ^ (self.number as u64 + 1) << 40 ^ self.life << 20;
        let clock = Arc::clone(&self.clock) as Arc<dyn Clock>;
        let engine = stage.engine(&who, seed, clock, Arc::new(pool.clone()));
        for task in main(&engine, &self.stop) {
            let _lives_with_the_pool = pool.spawn(task);
        }
        stage.gate.note(format!("{who:<8} begins"));
        self.pool = Some(pool);
    }

    /// Runs until no task of it is runnable. True if it has ended by itself.
    pub(super) fn turn(&mut self) -> bool {
        let Some(pool) = &self.pool else {
            return false;
        };
        let _never = pool.run_until_stalled(pending::<()>());
        let ended = pool.tasks() == 0;
        if ended {
            self.pool = None;
        }
        ended
    }

    /// Ends the process at once; the requests it has made may still happen.
    pub(super) fn crash(&mut self, restart: Duration) {
        if let Some(pool) = self.pool.take() {
            pool.abort_all();
        }
        self.restart = Some(restart);
    }

    pub(super) fn ask_to_stop(&self) {
        self.stop.set();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The tasks of a process own the pool that owns them.
        if let Some(pool) = self.pool.take() {
            pool.abort_all();
        }
    }
}

/// The work of a worker process: it polls and sweeps.
pub(super) fn works(engine: &Engine, stop: &Notice) -> Vec<BoxFuture<'static, ()>> {
    let options = WorkerOptions {
        busy: Duration::from_millis(200),
        idle: IDLE,
        ..WorkerOptions::default()
    };
    let (worker, sweeper) = (Worker::new(engine, options), Sweeper::new(engine));
    let (ours, theirs) = (stop.clone(), stop.clone());
    let work = async move { worker.run(&ours, &Notice::new()).await };
    let sweep = async move { sweeper.run(SWEEP, &theirs).await };
    vec![work.boxed(), sweep.boxed()]
}
