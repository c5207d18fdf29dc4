//! A complete engine in memory, for tests of workflows: time is skipped, nothing is random, and
//! every request is counted and can be made to fail.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::Timestamp;

use super::{CountingBucket, Counts, FaultBucket, ManualClock, MemoryBucket, Pool, SeededEntropy};
use crate::client::{Engine, EngineError, Outcome, Signal, Start, Started};
use crate::domain::{ExecutionId, Json, Queue, Status};
use crate::keys::{Key, MailKey, TimerKey};
use crate::ports::{Bucket, Clock, Doorbell, Ports};
use crate::process::{App, Host};
use crate::run::{Causes, Ended, RunError};
use crate::sdk::{Attempt, Mock, NamedStep, StepError};
use crate::settings::Settings;

/// The number of runs after which [`World::run_all`] reports that the executions never come to
/// rest.
const MOST_RUNS: usize = 100_000;

/// An engine on a bucket in memory.
///
/// ```
/// use millpond::client::{App, Start};
/// use millpond_testing::World;
/// use millpond::{Context, Failed};
/// use std::time::Duration;
///
/// async fn nap(ctx: Context, days: u64) -> Result<u64, Failed> {
///     ctx.sleep(Duration::from_secs(days * 86_400)).await?;
///     Ok(days)
/// }
///
/// let world = World::new(App::new().workflow("nap", "1", nap));
/// let started = world.start(Start::new("nap").input(&30_u64));
/// world.skip(Duration::from_secs(30 * 86_400));
/// assert_eq!(world.result::<u64>(started.eid), Ok(30));
/// ```
#[derive(Debug)]
pub struct World {
    /// The clock, advanced by the test and by skipping.
    pub clock: Arc<ManualClock>,
    /// The content of the bucket.
    pub memory: Arc<MemoryBucket>,
    /// Counts every request of the engine.
    pub counting: Arc<CountingBucket>,
    /// Injects faults by script.
    pub faults: Arc<FaultBucket>,
    /// Runs the spawned tasks.
    pub pool: Pool,
    /// The engine.
    pub engine: Engine,
    possible_duplicate: AtomicBool,
}

impl World {
    /// Creates a world at the start of 2026 with default settings.
    ///
    /// # Panics
    /// If the application is inconsistent.
    #[must_use]
    pub fn new(app: App) -> Self {
        Self::with_settings(app, Settings::default())
    }

    /// Creates a world with the given settings.
    ///
    /// # Panics
    /// If the application is inconsistent.
    #[must_use]
    pub fn with_settings(app: App, settings: Settings) -> Self {
        let start = "2026-01-01T00:00:00Z"
            .parse()
            .unwrap_or(Timestamp::UNIX_EPOCH);
        let clock = Arc::new(ManualClock::new(start));
        let memory = Arc::new(MemoryBucket::new(Arc::clone(&clock) as Arc<dyn Clock>));
        Self::over(clock, memory, app, settings, "w1", 1)
    }

    /// Creates another process on the same bucket and clock, with its own requests, faults and
    /// worker name.
    ///
    /// # Panics
    /// If the application is inconsistent.
    #[must_use]
    pub fn beside(&self, app: App, worker: &str, seed: u64) -> Self {
        let settings = self.engine.core().settings.clone();
        let (clock, memory) = (Arc::clone(&self.clock), Arc::clone(&self.memory));
        Self::over(clock, memory, app, settings, worker, seed)
    }

    fn over(
        clock: Arc<ManualClock>,
        memory: Arc<MemoryBucket>,
        app: App,
        settings: Settings,
        worker: &str,
        seed: u64,
    ) -> Self {
        let time = Arc::clone(&clock) as Arc<dyn Clock>;
        let inner = Arc::clone(&memory) as Arc<dyn Bucket>;
        let faults = Arc::new(FaultBucket::new(inner, Arc::clone(&time)));
        let counting = Arc::new(CountingBucket::new(Arc::clone(&faults) as Arc<dyn Bucket>));
        let pool = Pool::new();
        let ports = Ports {
            bucket: Arc::clone(&counting) as Arc<dyn Bucket>,
            clock: time,
            entropy: Arc::new(SeededEntropy::new(seed)),
            wakeups: Arc::new(Doorbell::default()),
            spawner: Arc::new(pool.clone()),
        };
        let host = Host {
            worker: worker.to_owned(),
            site: "test".to_owned(),
            code_ref: "20260101T000000-test".to_owned(),
        };
        let engine = Engine::with_settings(ports, app, host, settings)
            .unwrap_or_else(|error| panic!("the application does not hold together: {error}"));
        Self {
            clock,
            memory,
            counting,
            faults,
            pool,
            engine,
            possible_duplicate: AtomicBool::new(false),
        }
    }

    /// Answers in place of a step from now on, in this process: at once, and without running the step.
    /// `answer` gets the attempt and the input. An error fails the attempt, which is retried as the
    /// workflow specifies. Steps without a type of their own (`ctx.call`, `ctx.step`) cannot be mocked.
    ///
    /// ```
    /// use millpond::client::{App, Start};
    /// use millpond::prelude::*;
    /// use millpond_testing::World;
    ///
    /// #[millpond::step]
    /// async fn charge(cents: u64) -> Result<String, StepError> {
    ///     Err(StepError::new("NoBank", format!("no bank to charge {cents}")))
    /// }
    ///
    /// #[millpond::workflow]
    /// async fn pay(ctx: Context, cents: u64) -> Result<String, Failed> {
    ///     Ok(ctx.run::<charge>(&cents).await?)
    /// }
    ///
    /// let world = World::new(App::new().register::<pay>());
    /// world.mock::<charge>(|attempt, cents| match attempt.number() {
    ///     1 => Err(StepError::new("Busy", "try again")),
    ///     _ => Ok(format!("charged {cents}")),
    /// });
    /// let eid = world.start(Start::of::<pay>(&500)).eid;
    /// world.run_all();
    /// assert_eq!(world.result(eid), Ok("charged 500".to_owned()));
    /// ```
    pub fn mock<S: NamedStep>(
        &self,
        answer: impl Fn(&Attempt, S::Input) -> Result<S::Output, StepError> + Send + Sync + 'static,
    ) {
        self.engine.app().states().set(Mock::<S>::new(answer));
    }

    /// Runs a future to its end, with all spawned tasks; skips the time during which all sleep.
    pub fn block<F: Future>(&self, future: F) -> F::Output {
        self.pool.run_until(&self.clock, future)
    }

    /// Starts an execution without running it.
    ///
    /// # Panics
    /// If the start is refused.
    pub fn start(&self, start: Start) -> Started {
        self.block(self.engine.start(start))
            .unwrap_or_else(|error| panic!("not started: {error}"))
    }

    /// Sends a message without running its receiver.
    ///
    /// # Errors
    /// As [`Engine::signal`].
    pub fn signal(&self, eid: ExecutionId, signal: Signal) -> Result<(), EngineError> {
        self.block(self.engine.signal(eid, signal)).map(drop)
    }

    /// Returns the current causes of `eid` in the bucket: its mail, and its timers that are due.
    /// They alternate between reported by a queue and found by polling, which must make no
    /// difference.
    #[must_use]
    pub fn causes(&self, eid: ExecutionId) -> Causes {
        let (mut queue, mut mail, mut timers) = (Queue::default(), Vec::new(), Vec::new());
        for (key, _) in self.memory.snapshot() {
            if let Some(found) = MailKey::parse(&key).filter(|found| found.eid == eid) {
                queue = found.queue;
                mail.push(key);
            } else if let Some(found) = self.due(&key).filter(|found| found.eid == eid) {
                queue = found.queue;
                timers.push(key);
            }
        }
        Causes {
            queue,
            mail,
            timers,
            deliveries: 0,
            possible_duplicate: !self.possible_duplicate.fetch_not(Ordering::Relaxed),
        }
    }

    fn due(&self, key: &Key) -> Option<TimerKey> {
        TimerKey::parse(key).filter(|timer| timer.due <= self.clock.now())
    }

    /// Runs one execution once, with its current causes.
    ///
    /// # Errors
    /// As [`Engine::run`].
    pub fn run(&self, eid: ExecutionId) -> Result<Ended, RunError> {
        self.block(self.engine.run(eid, self.causes(eid)))
    }

    /// Runs all executions that have work until none has any. The clock does not move, except for
    /// waits in place. Executions leased by a vanished run, or deferred, remain, and so do messages that an
    /// execution does not take.
    ///
    /// # Panics
    /// If the executions never come to rest.
    pub fn run_all(&self) {
        let (mut left, mut runs) = (BTreeSet::new(), 0);
        while runs < MOST_RUNS {
            let work = self.with_work();
            let work: Vec<ExecutionId> = work.difference(&left).copied().collect();
            if work.is_empty() {
                return;
            }
            for eid in work {
                runs += 1;
                let before = self.memory.len();
                match self.run(eid) {
                    Ok(
                        Ended::Held(_)
                        | Ended::Orphan
                        | Ended::Full
                        | Ended::Unregistered(..)
                        | Ended::NewerCode(_),
                    )
                    | Err(_) => {
                        left.insert(eid);
                    }
                    Ok(_) if before != self.memory.len() => left.clear(),
                    Ok(_) => {}
                }
            }
        }
        panic!(
            "{MOST_RUNS} runs, and something still has work: {:?}",
            self.with_work()
        );
    }

    /// Returns the executions with mail, or with a timer that is due.
    #[must_use]
    pub fn with_work(&self) -> BTreeSet<ExecutionId> {
        let rows = self.memory.snapshot();
        let mail = rows
            .iter()
            .filter_map(|(key, _)| MailKey::parse(key))
            .map(|mail| mail.eid);
        let due = rows
            .iter()
            .filter_map(|(key, _)| self.due(key))
            .map(|timer| timer.eid);
        mail.chain(due).collect()
    }

    /// Runs all executions that have work, and advances the clock from timer to timer, until `time`
    /// has passed.
    pub fn skip(&self, time: Duration) {
        let end = self.clock.monotonic() + time;
        loop {
            self.run_all();
            let left = end.saturating_sub(self.clock.monotonic());
            let now = self.clock.now();
            let next = self
                .memory
                .snapshot()
                .iter()
                .filter_map(|(key, _)| TimerKey::parse(key))
                .filter_map(|timer| Duration::try_from(timer.due.duration_since(now)).ok())
                .filter(|wait| !wait.is_zero())
                .min();
            match next.filter(|wait| *wait <= left) {
                Some(wait) => self.clock.advance(wait),
                None => {
                    self.clock.advance(left);
                    self.run_all();
                    return;
                }
            }
        }
    }

    /// Returns the status of an execution.
    ///
    /// # Panics
    /// If the execution does not exist.
    #[must_use]
    pub fn status(&self, eid: ExecutionId) -> Status {
        self.block(self.engine.status(eid))
            .unwrap_or_else(|error| panic!("no status: {error}"))
    }

    /// Returns the outcome of an execution.
    ///
    /// # Panics
    /// If the execution has not ended.
    #[must_use]
    pub fn outcome(&self, eid: ExecutionId) -> Outcome {
        self.block(self.engine.result(eid, Duration::ZERO))
            .unwrap_or_else(|error| panic!("no outcome: {error}"))
    }

    /// Returns the value of an execution, or the text of its failure.
    ///
    /// # Errors
    /// The text of the failure.
    ///
    /// # Panics
    /// If the execution has not ended.
    pub fn result<T: serde::de::DeserializeOwned>(&self, eid: ExecutionId) -> Result<T, String> {
        self.outcome(eid)
            .get()
            .map_err(|failure| failure.to_string())
    }

    /// Counts the requests of `work`.
    pub fn counted<T>(&self, work: impl FnOnce(&Self) -> T) -> (T, Counts) {
        let before = self.counting.counts();
        let out = work(self);
        (out, self.counting.counts().since(&before))
    }

    /// Returns the head of an execution, as stored.
    ///
    /// # Panics
    /// If the head does not exist.
    #[must_use]
    pub fn head(&self, eid: ExecutionId) -> Json {
        let key = crate::keys::head(&eid);
        let rows = self.memory.snapshot();
        let body = rows
            .iter()
            .find(|(found, _)| *found == key)
            .map(|(_, body)| body.clone());
        let body = body.unwrap_or_else(|| panic!("no head of {eid}"));
        serde_json::from_slice(&body).unwrap_or_else(|error| panic!("not a head: {error}"))
    }
}
