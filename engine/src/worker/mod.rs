//! The polling worker: finds causes and runs executions, several concurrently.
//!
//! It polls when its doorbell rings, when a timer from an earlier poll is due, and otherwise in
//! an interval that grows while there is nothing to do. Queues are served in order: a later queue
//! gets the capacity that the earlier ones leave.
//!
//! - **I4** Every cause is processed again until it is gone: after a failed run, or a lease held
//!   elsewhere, the execution is retried after a pause of its own.
//! - A process has at most one run per execution at a time; a hint that arrives during a run is
//!   kept, and starts the next run afterwards.
//! - **N25** Several workers of one queue take different parts of it: each takes what a page contains
//!   from a random position on, and after a run for nothing polls again, goes to another page, and takes less at
//!   once.
//!
//! Price: 2 P for each poll (one queue); while the doorbell is silent, one poll per interval.

mod event;
mod job;
mod look;
mod options;
mod paused;
mod pauses;
mod scan;
mod scheduler;
mod share;

use std::sync::Arc;
use std::time::Duration;

use futures::channel::mpsc;
use futures::future::pending;
use futures::{FutureExt, StreamExt};
use tracing::Instrument as _;

pub use event::WorkerEvent;
pub use options::{RunSpan, Watch, WorkerOptions};

use self::job::Finished;
use self::scheduler::Scheduler;
use crate::client::Engine;
use crate::process::{Core, Notice};
use crate::run::Stop;

/// Runs executions until it is asked to stop.
#[derive(Debug)]
pub struct Worker {
    core: Arc<Core>,
    options: WorkerOptions,
}

impl Worker {
    /// Creates a worker for this engine.
    ///
    /// # Panics
    /// If the application declares workflows without having their code
    /// ([`App::declare`](crate::client::App::declare)): their executions would fail.
    #[must_use]
    pub fn new(engine: &Engine, options: WorkerOptions) -> Self {
        let mut all = engine.app().all();
        if let Some(known) = all.find(|known| known.workflow.is_declared()) {
            panic!("a worker needs the code of its workflows: declared only: {known:?}");
        }
        Self {
            core: Arc::clone(engine.core()),
            options,
        }
    }

    /// Works until `stop` is set, then hands over: running attempts may end within the margin, no
    /// new one begins, and the remaining work is in the bucket for the next worker. `abandon`
    /// ends the worker at once; attempts that it aborts count as lost.
    ///
    /// Store errors are logged and retried; they never end the worker.
    pub async fn run(&self, stop: &Notice, abandon: &Notice) {
        let _at_work = self.core.completion_waiters.work();
        let mut scheduler = Scheduler::new(Arc::clone(&self.core), self.options.clone());
        let word = Stop {
            gently: stop.clone(),
            now: Notice::new(),
        };
        let (done, mut runs) = mpsc::unbounded();
        while !stop.is_set() {
            if scheduler.has_room() && scheduler.must_look() && scheduler.is_time_to_look() {
                // A failing store must not keep the worker from stopping.
                let mut look = scheduler.look().boxed().fuse();
                futures::select_biased! {
                    () = stop.wait().fuse() => continue,
                    () = look => {}
                }
            }
            for job in scheduler.take_jobs() {
                let span = (self.options.span)(&job.eid);
                let run = job::perform(Arc::clone(&self.core), job, word.clone(), done.clone());
                let run = run.instrument(span);
                // A task of its own, so that runs share the processors; each one reports its end.
                let _runs_on = self.core.ports.spawner.spawn(run.boxed());
            }
            let clock = Arc::clone(&self.core.ports.clock);
            let wakeups = Arc::clone(&self.core.ports.wakeups);
            let (listening, queues) = (scheduler.has_room(), &self.options.queues);
            let mut hint = async {
                if listening {
                    wakeups.next(queues).await
                } else {
                    pending().await
                }
            }
            .boxed()
            .fuse();
            futures::select_biased! {
                () = stop.wait().fuse() => {}
                finished = runs.select_next_some() => scheduler.finished(finished),
                hint = hint => scheduler.hinted(hint),
                () = clock.sleep(scheduler.patience()).fuse() => {}
            }
        }
        self.wind_down(scheduler, runs, &word, abandon).await;
    }

    async fn wind_down(
        &self,
        mut scheduler: Scheduler,
        mut runs: mpsc::UnboundedReceiver<Finished>,
        word: &Stop,
        abandon: &Notice,
    ) {
        let clock = Arc::clone(&self.core.ports.clock);
        let mut margin = clock.sleep(self.options.margin).fuse();
        while scheduler.is_running() {
            futures::select_biased! {
                finished = runs.select_next_some() => scheduler.finished(finished),
                () = abandon.wait().fuse() => break,
                () = margin => break,
            }
        }
        word.now.set();
        let mut last = clock.sleep(Duration::from_secs(1)).fuse();
        while scheduler.is_running() {
            futures::select_biased! {
                finished = runs.select_next_some() => scheduler.finished(finished),
                () = last => break,
            }
        }
    }
}
