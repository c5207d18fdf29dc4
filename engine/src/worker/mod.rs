//! The polling worker: finds causes, runs executions, several at once.
//!
//! It looks when its doorbell rings, when a timer that it knows of is due, and otherwise in
//! an interval that grows while there is nothing to do. Queues are served in order: a later
//! one gets what capacity the earlier ones leave.
//!
//! - **I4** Every cause is looked at again until it is gone: a run that failed, or an
//!   execution held elsewhere, is tried again after a pause of its own.
//! - At most one run per execution at a time in a process; a hint for one that runs is kept,
//!   and runs it afterwards.
//!
//! Price: 2 P for each look (one queue), none while the doorbell is silent but one look per
//! interval.

mod event;
mod look;
mod options;
mod scheduler;

use std::sync::Arc;
use std::time::Duration;

use futures::channel::mpsc;
use futures::future::pending;
use futures::{FutureExt, StreamExt};

pub use event::WorkerEvent;
pub use options::{Watch, WorkerOptions};

use self::scheduler::{Finished, Scheduler};
use crate::client::Engine;
use crate::process::{Core, Notice};
use crate::run::Stop;

/// Runs executions until it is told to stop.
#[derive(Debug)]
pub struct Worker {
    core: Arc<Core>,
    options: WorkerOptions,
}

impl Worker {
    /// A worker of this engine.
    #[must_use]
    pub fn new(engine: &Engine, options: WorkerOptions) -> Self {
        Self {
            core: Arc::clone(engine.core()),
            options,
        }
    }

    /// Works until `stop`, then hands over: running attempts may end within the margin, no
    /// new one begins, and what is left is in the bucket for the next worker. `abandon` ends
    /// it at once; attempts it aborts count as lost.
    ///
    /// Trouble with the store is logged and tried again; it never ends the worker.
    pub async fn run(&self, stop: &Notice, abandon: &Notice) {
        let _at_work = self.core.completion_waiters.work();
        let mut scheduler = Scheduler::new(Arc::clone(&self.core), self.options.clone());
        let word = Stop {
            gently: stop.clone(),
            now: Notice::new(),
        };
        let (done, mut runs) = mpsc::unbounded();
        while !stop.is_set() {
            if scheduler.has_room() && !scheduler.has_work() && scheduler.is_time_to_look() {
                // Trouble with the store must not keep it from stopping.
                let mut look = scheduler.look().boxed().fuse();
                futures::select_biased! {
                    () = stop.wait().fuse() => continue,
                    () = look => {}
                }
            }
            for job in scheduler.take_jobs() {
                let run = scheduler::job(Arc::clone(&self.core), job, word.clone(), done.clone());
                // Beside the worker, so that runs share the processors; each tells its end.
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
