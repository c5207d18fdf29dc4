//! The polling worker, on manual time.

mod hanging;
mod herd;
mod lists;
mod looks;
mod trouble;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::join;

use super::ledger::Ledger;
use super::{App, Ended, sequential};
use crate::domain::ExecutionId;
use crate::ports::Clock;
use crate::process::Notice;
use crate::testing::World;
use crate::worker::{Worker, WorkerEvent, WorkerOptions};
use crate::{Attempt, Context, Failed, StepError};

pub(in crate::tests) const SECOND: Duration = Duration::from_secs(1);

/// `n` steps of ten seconds.
pub(in crate::tests) async fn slow(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for at in 0..n {
        let ledger = ledger.clone();
        let step = ctx.step("slow", move |attempt: Attempt| {
            let ledger = ledger.clone();
            async move {
                ledger.effect(&attempt);
                ledger.clock().sleep(10 * SECOND).await;
                Ok::<_, StepError>(at)
            }
        });
        sum += step.await?;
    }
    Ok(sum)
}

async fn nap(ctx: Context, seconds: u64) -> Result<u64, Failed> {
    ctx.sleep(Duration::from_secs(seconds)).await?;
    Ok(seconds)
}

async fn receives(ctx: Context, _: ()) -> Result<u64, Failed> {
    Ok(ctx.receive::<u64>("in").await?)
}

pub(in crate::tests) fn app(ledger: &Ledger) -> App {
    let ledger = ledger.clone();
    App::new()
        .workflow("slow", "1", move |ctx, n| slow(ctx, ledger.clone(), n))
        .workflow("nap", "1", nap)
        .workflow("receives", "1", receives)
        .workflow("sequential", "1", sequential)
}

fn world() -> (World, Ledger) {
    Ledger::world(app)
}

/// What a worker reported, and when.
#[derive(Clone, Default)]
pub(in crate::tests) struct Log(Arc<Mutex<Vec<(Duration, WorkerEvent)>>>);

impl Log {
    fn all(&self) -> Vec<(Duration, WorkerEvent)> {
        self.0.lock().unwrap().clone()
    }

    pub(in crate::tests) fn count(&self, fits: impl Fn(&WorkerEvent) -> bool) -> usize {
        self.all().iter().filter(|(_, event)| fits(event)).count()
    }

    pub(in crate::tests) fn ended(&self, eid: ExecutionId) -> Vec<(Duration, Ended)> {
        let all = self.all().into_iter();
        all.filter_map(|(at, event)| match event {
            WorkerEvent::Ended(of, ended) if of == eid => Some((at, ended)),
            _ => None,
        })
        .collect()
    }
}

pub(in crate::tests) fn options(world: &World, log: &Log) -> WorkerOptions {
    let (log, clock) = (log.clone(), Arc::clone(&world.clock));
    WorkerOptions {
        watch: Some(Arc::new(move |event| {
            let at = clock.monotonic();
            log.0.lock().unwrap().push((at, event.clone()));
        })),
        ..WorkerOptions::default()
    }
}

/// Runs a worker of `process` beside `what`, then stops it.
pub(in crate::tests) fn beside(
    process: &World,
    options: WorkerOptions,
    what: impl Future<Output = ()>,
) {
    let (stop, abandon) = (Notice::new(), Notice::new());
    let worker = Worker::new(&process.engine, options);
    let word = async {
        what.await;
        stop.set();
    };
    process.block(join(worker.run(&stop, &abandon), word));
}

pub(in crate::tests) async fn sleep(world: &World, time: Duration) {
    world.clock.sleep(time).await;
}
