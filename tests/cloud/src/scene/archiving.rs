//! Retention over many finished executions, killed at random while it works.
//!
//! An in-memory engine creates the executions, and its objects are copied to the store: the test
//! covers the retention as it is deployed.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures::{StreamExt as _, stream};
use millpond::client::{App, Engine, Notice, Signal, Start, Worker, WorkerOptions};
use millpond::domain::{ExecutionId, Status};
use millpond::prelude::{Context, Failed, StepError};

use crate::lambda::Summary;
use crate::proxy::Counts;
use crate::queue::Dice;
use crate::scene::Scene;
use crate::scene::engine::earlier;

/// Number of concurrent requests.
const AT_ONCE: usize = 48;
/// Executions that wait for a message meanwhile.
const LIVE: usize = 20;
/// The age of the executions: within the last hour, a pass waits for writers whose clocks are
/// behind, and the next one reads that hour again.
const AGO: Duration = Duration::from_secs(2 * 3600);
/// Results checked after each pass.
const LOOKS: usize = 5;

/// The parameters.
#[derive(Debug, Clone)]
pub struct Options {
    /// The number of finished executions.
    pub count: usize,
    /// The mean time until the retention is killed.
    pub kill_every: Duration,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The timeout until all are archived.
    pub patience: Duration,
}

/// The results.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Finished executions.
    pub asked: usize,
    /// The time to create them.
    pub made: Duration,
    /// The time to archive them.
    pub took: Duration,
    /// Archives after each pass.
    pub progress: Vec<usize>,
    /// Passes that did not complete.
    pub cut: usize,
    /// Instances killed.
    pub killed: u64,
    /// Remaining heads, and other objects beside them.
    pub left: (usize, usize),
    /// Violations.
    pub wrong: Vec<String>,
    /// Requests of the retention.
    pub requests: Counts,
    /// Its invocations.
    pub invocations: Summary,
}

async fn quick(ctx: Context, number: usize) -> Result<usize, Failed> {
    let step = ctx.step("quick", move || async move { Ok::<_, StepError>(number) });
    Ok(step.await?)
}

async fn waits(ctx: Context, _: usize) -> Result<String, Failed> {
    Ok(ctx.receive("go").await?)
}

fn app() -> App {
    App::new()
        .workflow("quick", "1", quick)
        .workflow("waits", "1", waits)
}

/// Creates executions, and archives them by the retention.
///
/// # Panics
/// If the store fails, or the time is exceeded.
pub async fn archive(scene: &Scene, options: &Options, report: &mut dyn FnMut(String)) -> Outcome {
    let begun = Instant::now();
    let (memory, engine) = earlier(AGO, app());
    let (finished, live) = Box::pin(work(&engine, make(&engine, options.count))).await;
    let copies = memory.snapshot().into_iter().map(async |(key, body)| {
        scene.upload(&format!("pond/{key}"), body).await;
    });
    stream::iter(copies)
        .buffer_unordered(AT_ONCE)
        .collect::<()>()
        .await;
    let engine = scene.engine(app()).await;
    let mut outcome = Outcome {
        asked: options.count,
        made: begun.elapsed(),
        ..Outcome::default()
    };
    report(format!(
        "{} executions made in {:.0} s",
        options.count,
        outcome.made.as_secs_f64()
    ));

    let begun = Instant::now();
    let dice = Dice::new(options.seed);
    let killed = Arc::new(AtomicU64::new(0));
    let killer = tokio::spawn(kill(scene, options, Arc::clone(&killed)));
    loop {
        let passed = scene.retain().await;
        outcome.cut += usize::from(passed.is_err());
        let archived = scene.keys("pond/archive/").await.len();
        let before = outcome.progress.last().copied().unwrap_or(0);
        if archived < before {
            outcome
                .wrong
                .push(format!("{before} were archived, and then {archived}"));
        }
        outcome.progress.push(archived);
        report(format!(
            "{:.0} s: {archived} archived, {} killed",
            begun.elapsed().as_secs_f64(),
            killed.load(Ordering::Relaxed)
        ));
        for _ in 0..LOOKS {
            let number = dice.index(finished.len());
            outcome
                .wrong
                .extend(answers(&engine, number, finished[number]).await);
        }
        for eid in &live {
            let status = engine.status(*eid).await.expect("the store answers");
            if status != Status::Suspended {
                outcome.wrong.push(format!("{eid} waits, and is {status}"));
            }
        }
        if archived == options.count {
            // Each pass reads the feed of the last hour again, and now all records are in it: a
            // pass that is killed too often never completes.
            killer.abort();
            if passed.is_ok() {
                break;
            }
        }
        assert!(
            begun.elapsed() < options.patience,
            "{archived} of {} are archived",
            options.count
        );
    }
    outcome.took = begun.elapsed();
    outcome.killed = killed.load(Ordering::Relaxed);

    // All of them, and not only those that happened to be checked before.
    let looks = stream::iter(finished.iter().enumerate());
    let looks = looks.map(|(number, eid)| archived(&engine, number, *eid));
    let wrong: Vec<_> = looks.buffer_unordered(AT_ONCE).collect().await;
    outcome.wrong.extend(wrong.into_iter().flatten());
    let left = scene.keys("pond/x/").await;
    let heads = left.iter().filter(|key| key.ends_with("/head")).count();
    outcome.left = (heads, left.len() - heads);
    let wrong = work(&engine, reads(&engine, &live)).await;
    outcome.wrong.extend(wrong);
    outcome.requests = scene.stack.proxy("RetentionFunction").counts();
    let reports = scene.stack.function("RetentionFunction").reports();
    outcome.invocations = Summary::of(&reports);
    outcome.wrong.extend(scene.stack.refused());
    outcome
}

/// Runs an operation while a worker runs.
async fn work<T>(engine: &Engine, what: impl Future<Output = T>) -> T {
    let (stop, never) = (Notice::new(), Notice::new());
    let worker = Worker::new(engine, WorkerOptions::default());
    let doing = async {
        let done = what.await;
        stop.set();
        done
    };
    tokio::join!(worker.run(&stop, &never), doing).1
}

/// Creates executions that are over, and some that wait.
async fn make(engine: &Engine, count: usize) -> (Vec<ExecutionId>, Vec<ExecutionId>) {
    let finished = stream::iter(0..count).map(async |number| {
        let started = engine.start(Start::new("quick").input(&number)).await;
        let eid = started.expect("the store answers").eid;
        let ended = engine.result(eid, Duration::from_secs(120)).await;
        assert!(ended.expect("it ends").value.is_ok(), "{eid} failed");
        eid
    });
    let finished = finished.buffered(AT_ONCE).collect().await;
    let live = stream::iter(0..LIVE).then(async |number| {
        let started = engine.start(Start::new("waits").input(&number)).await;
        let eid = started.expect("the store answers").eid;
        while engine.status(eid).await.expect("the store answers") != Status::Suspended {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        eid
    });
    (finished, live.collect().await)
}

/// Kills the retention repeatedly, at intervals between zero and twice the mean.
fn kill(
    scene: &Scene,
    options: &Options,
    killed: Arc<AtomicU64>,
) -> impl Future<Output = ()> + Send + 'static {
    let function = scene.stack.function("RetentionFunction").clone();
    let dice = Dice::new(options.seed.wrapping_add(1));
    let most = 2 * u64::try_from(options.kill_every.as_millis()).unwrap_or(u64::MAX / 2);
    async move {
        loop {
            tokio::time::sleep(Duration::from_millis(dice.below(most))).await;
            if function.kill_one(0).is_some() {
                killed.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// The violations in an execution's result, whether it is archived by now or not.
async fn answers(engine: &Engine, number: usize, eid: ExecutionId) -> Option<String> {
    match engine.result(eid, Duration::ZERO).await {
        Ok(outcome) => match outcome.get::<usize>() {
            Ok(value) if value == number => None,
            other => Some(format!("{eid} gave {number}, and now {other:?}")),
        },
        Err(error) => Some(format!("{eid} does not answer: {error}")),
    }
}

async fn archived(engine: &Engine, number: usize, eid: ExecutionId) -> Option<String> {
    match engine.status(eid).await {
        Ok(Status::Archived) => answers(engine, number, eid).await,
        other => Some(format!("{eid} is not archived: {other:?}")),
    }
}

/// Waiting executions continue.
async fn reads(engine: &Engine, live: &[ExecutionId]) -> Vec<String> {
    let mut wrong = Vec::new();
    for eid in live {
        if let Err(error) = engine.signal(*eid, Signal::on("go").value("on")).await {
            wrong.push(format!("{eid} cannot be read: {error}"));
            continue;
        }
        match engine.result(*eid, Duration::from_secs(60)).await {
            Ok(outcome) if outcome.get::<String>().as_deref() == Ok("on") => {}
            other => wrong.push(format!("{eid} does not go on: {other:?}")),
        }
    }
    wrong
}

impl Outcome {
    /// All violations.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let mut faults = self.wrong.clone();
        if self.cut == 0 {
            faults.push("no pass was cut".to_owned());
        }
        let (heads, others) = self.left;
        if (heads, others) != (self.asked + LIVE, 0) {
            faults.push(format!("{heads} heads and {others} other objects are left"));
        }
        faults
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (made, took) = (self.made.as_secs_f64(), self.took.as_secs_f64());
        writeln!(
            f,
            "{} executions, made in {made:.0} s, archived in {took:.0} s ({:.0} a second)",
            self.asked,
            self.asked as f64 / took
        )?;
        let idle = self
            .progress
            .windows(2)
            .filter(|two| two[0] == two[1])
            .count();
        writeln!(
            f,
            "  {} passes, {} of them cut, {idle} without progress; {} instances killed",
            self.progress.len(),
            self.cut,
            self.killed
        )?;
        writeln!(f, "  {}", self.invocations)?;
        writeln!(
            f,
            "  {}; an execution: {:.2} write requests",
            self.requests,
            self.requests.write_requests() as f64 / self.asked.max(1) as f64
        )?;
        let (heads, others) = self.left;
        writeln!(
            f,
            "  {heads} heads and {others} other objects are left of them"
        )
    }
}
