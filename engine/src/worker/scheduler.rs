//! Decides which executions to run and when, and what follows from the end of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures::channel::mpsc;
use jiff::Timestamp;

use super::{WorkerEvent, WorkerOptions};
use crate::domain::{ExecutionId, Queue};
use crate::keys::Key;
use crate::ports::{Backoff, BucketError, Hint};
use crate::process::{Core, STORE, chain};
use crate::run::{self, Causes, Ended, RunError, Stop};

/// Pauses after runs of one execution without effect.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(30));

pub(super) struct Job {
    eid: ExecutionId,
    causes: Causes,
}

impl Job {
    pub(super) fn eid(&self) -> &ExecutionId {
        &self.eid
    }
}

pub(super) struct Finished {
    eid: ExecutionId,
    ended: Result<Ended, RunError>,
    /// Mail that the run has absorbed and deleted.
    served: Vec<Key>,
}

pub(super) async fn job(
    core: Arc<Core>,
    job: Job,
    stop: Stop,
    done: mpsc::UnboundedSender<Finished>,
) {
    let Job { eid, causes } = job;
    let mut served = Vec::new();
    let ended = run::run(core, eid, causes, stop, &mut served).await;
    // The receiver is gone if the worker was abandoned.
    let _ = done.unbounded_send(Finished { eid, ended, served });
}

/// The causes of an execution that waits for a run.
#[derive(Debug, Default)]
struct Waiting {
    mail: BTreeSet<Key>,
    timers: BTreeSet<Key>,
}

/// A pause after a run without effect.
#[derive(Debug)]
struct Paused {
    until: Duration,
    times: u32,
    /// Whether a poll has begun since the pause ended.
    looked: bool,
}

/// The state of a worker.
pub(super) struct Scheduler {
    pub(super) core: Arc<Core>,
    pub(super) options: WorkerOptions,
    /// By priority of the queue, then in order of arrival.
    ready: Vec<BTreeMap<u64, ExecutionId>>,
    /// As `ready`: executions whose last run failed or had no effect.
    retries: Vec<BTreeMap<u64, ExecutionId>>,
    waiting: BTreeMap<ExecutionId, (Queue, Waiting)>,
    /// The executions of the runs in progress; true for retries.
    running: BTreeMap<ExecutionId, bool>,
    paused: BTreeMap<ExecutionId, Paused>,
    said: BTreeSet<String>,
    /// Whether the last poll failed.
    pub(super) blind: bool,
    arrivals: u64,
    pub(super) next_look: Duration,
    pub(super) interval: Duration,
    pub(super) next_timer: Option<Timestamp>,
    pub(super) cursors: BTreeMap<Queue, Key>,
    pub(super) timer_cursor: Option<Key>,
    /// The listings that failed, each with the instant before which it is not retried. A key is
    /// the queue of the mail, or `None` for the timers.
    pub(super) closed: BTreeMap<Option<Queue>, Duration>,
}

impl Scheduler {
    pub(super) fn new(core: Arc<Core>, options: WorkerOptions) -> Self {
        let next_look = core.ports.clock.monotonic();
        Self {
            ready: options.queues.iter().map(|_| BTreeMap::new()).collect(),
            retries: options.queues.iter().map(|_| BTreeMap::new()).collect(),
            interval: options.busy,
            core,
            options,
            waiting: BTreeMap::new(),
            running: BTreeMap::new(),
            paused: BTreeMap::new(),
            said: BTreeSet::new(),
            blind: false,
            arrivals: 0,
            next_look,
            next_timer: None,
            cursors: BTreeMap::new(),
            timer_cursor: None,
            closed: BTreeMap::new(),
        }
    }

    fn now(&self) -> Duration {
        self.core.ports.clock.monotonic()
    }

    pub(super) fn is_running(&self) -> bool {
        !self.running.is_empty()
    }

    pub(super) fn has_room(&self) -> bool {
        self.running.len() < self.options.concurrency
    }

    /// Returns whether there is work that can begin, so that a poll can wait.
    pub(super) fn has_work(&self) -> bool {
        let any = |queues: &[BTreeMap<_, _>]| queues.iter().any(|queue| !queue.is_empty());
        any(&self.ready) || (self.has_room_for_retries() && any(&self.retries))
    }

    /// **\[R\] N13** Returns whether another retry may begin: retries occupy half of the runs at
    /// most. Bad interleaving: the requests of as many executions as a worker may run have no reply;
    /// each run ends at its time-out and begins again at once, and no other execution gets a run.
    fn has_room_for_retries(&self) -> bool {
        let retries = self.running.values().filter(|retry| **retry).count();
        retries < self.options.concurrency.div_ceil(2)
    }

    /// Adds mail that a poll has found. A run in progress lists the mailbox itself.
    pub(super) fn found_mail(&mut self, queue: &Queue, eid: ExecutionId, key: Key) -> bool {
        !self.running.contains_key(&eid) && self.saw_mail(queue, eid, key)
    }

    fn saw_mail(&mut self, queue: &Queue, eid: ExecutionId, key: Key) -> bool {
        self.note(queue, eid, |waiting| waiting.mail.insert(key))
    }

    pub(super) fn saw_timer(&mut self, queue: &Queue, eid: ExecutionId, key: Key) -> bool {
        self.note(queue, eid, |waiting| waiting.timers.insert(key))
    }

    pub(super) fn hinted(&mut self, hint: Hint) {
        if crate::keys::TimerKey::parse(&hint.cause).is_some() {
            self.saw_timer(&hint.queue, hint.eid, hint.cause);
        } else {
            // A fresh cause ends a pause that follows a run without one.
            self.paused.remove(&hint.eid);
            self.core.run_hints.notify(&hint.eid, &hint.cause);
            self.saw_mail(&hint.queue, hint.eid, hint.cause);
        }
    }

    /// Adds a cause. Returns whether it is new: no causes of this execution were waiting, and it
    /// is not paused.
    fn note(
        &mut self,
        queue: &Queue,
        eid: ExecutionId,
        add: impl FnOnce(&mut Waiting) -> bool,
    ) -> bool {
        let Some(priority) = self.options.queues.iter().position(|q| q == queue) else {
            return false;
        };
        let (now, paused) = (self.now(), self.paused.get(&eid));
        if paused.is_some_and(|paused| paused.until > now) {
            return false;
        }
        let retry = paused.is_some_and(|paused| paused.times > 0);
        let fresh = !self.waiting.contains_key(&eid);
        let (_, waiting) = self
            .waiting
            .entry(eid)
            .or_insert_with(|| (queue.clone(), Waiting::default()));
        add(waiting);
        if fresh && !self.running.contains_key(&eid) {
            self.arrivals += 1;
            let queues = if retry {
                &mut self.retries
            } else {
                &mut self.ready
            };
            queues[priority].insert(self.arrivals, eid);
        }
        fresh
    }

    /// Returns runs up to the free capacity.
    pub(super) fn take_jobs(&mut self) -> Vec<Job> {
        let mut jobs = Vec::new();
        for priority in 0..self.ready.len() {
            while self.has_room()
                && let Some((eid, retry)) = self.next_job(priority)
            {
                let Some((queue, waiting)) = self.waiting.remove(&eid) else {
                    continue;
                };
                self.running.insert(eid, retry);
                self.tell(&WorkerEvent::Began(eid));
                let causes = Causes {
                    queue,
                    mail: waiting.mail.into_iter().collect(),
                    timers: waiting.timers.into_iter().collect(),
                    deliveries: self.paused.get(&eid).map_or(0, |paused| paused.times),
                    possible_duplicate: false, // the worker has polled, or polls soon
                };
                jobs.push(Job { eid, causes });
            }
        }
        jobs
    }

    /// Takes the next execution of a queue, and whether its run is a retry.
    fn next_job(&mut self, priority: usize) -> Option<(ExecutionId, bool)> {
        if let Some((_, eid)) = self.ready[priority].pop_first() {
            return Some((eid, false));
        }
        let may_retry = self.has_room_for_retries();
        let retry = may_retry.then(|| self.retries[priority].pop_first());
        retry.flatten().map(|(_, eid)| (eid, true))
    }

    pub(super) fn finished(&mut self, finished: Finished) {
        let Finished { eid, ended, served } = finished;
        self.running.remove(&eid);
        match &ended {
            Ok(ended) => self.tell(&WorkerEvent::Ended(eid, ended.clone())),
            Err(error) => {
                let text = chain(error);
                self.tell(&WorkerEvent::Failed(eid, text.clone()));
                let of_the_store = !error.is_of_the_execution();
                self.say(format!("{eid}: {text}"), || {
                    if of_the_store {
                        tracing::warn!(target: STORE, %eid, error = %text, "run failed; it is tried again");
                    } else {
                        tracing::warn!(%eid, error = %text, "run failed; it is tried again");
                    }
                });
            }
        }
        self.pause(eid, ended);
        // A hint that arrived during the run was kept, and starts the next run now, unless that
        // run has absorbed the mail it named.
        if let Some((queue, mut waiting)) = self.waiting.remove(&eid) {
            waiting.mail.retain(|key| !served.contains(key));
            if !waiting.mail.is_empty() || !waiting.timers.is_empty() {
                self.note(&queue, eid, |fresh| {
                    *fresh = waiting;
                    true
                });
            }
        }
    }

    fn pause(&mut self, eid: ExecutionId, ended: Result<Ended, RunError>) {
        let (now, wall) = (self.now(), self.core.ports.clock.now());
        match ended {
            Ok(Ended::Suspended(due)) => {
                self.paused.remove(&eid);
                self.next_timer = [self.next_timer, due].into_iter().flatten().min();
            }
            Ok(
                Ended::Terminal(_)
                | Ended::Parked(_)
                | Ended::Orphan
                | Ended::Stale
                | Ended::Sliced
                | Ended::Again,
            ) => {
                self.paused.remove(&eid);
            }
            Ok(Ended::Held(until)) => {
                let wait = Duration::try_from(until.duration_since(wall)).unwrap_or_default();
                self.paused.insert(
                    eid,
                    Paused {
                        until: now + wait,
                        times: 0,
                        looked: false,
                    },
                );
            }
            Ok(Ended::Unregistered(workflow, version)) => {
                self.say(format!("{workflow}@{version}"), || {
                    tracing::warn!(%workflow, %version, "not registered here: its mail is left for a worker that knows it");
                });
                self.back_off(eid, now);
            }
            Ok(Ended::NewerCode(code)) => {
                self.say(code.clone(), || {
                    tracing::warn!(%eid, %code, "written by a newer build: left for its workers");
                });
                self.back_off(eid, now);
            }
            Ok(Ended::Lost | Ended::Stalled(_)) => self.back_off(eid, now),
            Err(error) => {
                self.back_off(eid, now);
                let asked = error.bucket().map(BucketError::wait);
                if let (Some(asked), Some(paused)) = (asked, self.paused.get_mut(&eid)) {
                    paused.until = paused.until.max(now + asked);
                }
            }
        }
    }

    fn back_off(&mut self, eid: ExecutionId, now: Duration) {
        let paused = self.paused.entry(eid).or_insert(Paused {
            until: now,
            times: 0,
            looked: false,
        });
        paused.looked = false;
        paused.times += 1;
        paused.until = now + BACKOFF.after(paused.times);
    }

    /// Returns how long the worker can wait for a hint.
    pub(super) fn patience(&self) -> Duration {
        let now = self.now();
        if !self.has_room() {
            return self.options.idle;
        }
        self.due().saturating_sub(now)
    }

    pub(super) fn is_time_to_look(&self) -> bool {
        self.now() >= self.due()
    }

    fn due(&self) -> Duration {
        let now = self.now();
        let timer = self.next_timer.map(|at| {
            let wait = at.duration_since(self.core.ports.clock.now());
            now + Duration::try_from(wait).unwrap_or_default()
        });
        // I4: the end of a pause triggers a poll, even if the next regular one is far off.
        let paused = self
            .paused
            .values()
            .filter(|paused| !paused.looked)
            .map(|paused| paused.until);
        [timer, paused.min()]
            .into_iter()
            .flatten()
            .fold(self.next_look, Duration::min)
    }

    /// Begins a poll, which covers the pauses that have ended. Drops those that ended long ago.
    pub(super) fn looked(&mut self) {
        let now = self.now();
        for paused in self.paused.values_mut() {
            paused.looked |= paused.until <= now;
        }
        self.paused
            .retain(|_, paused| !paused.looked || paused.until + BACKOFF.longest() * 4 > now);
    }

    /// Logs a message once.
    pub(super) fn say(&mut self, what: String, say: impl FnOnce()) {
        if self.said.len() < 10_000 && self.said.insert(what) {
            say();
        }
    }

    pub(super) fn tell(&self, event: &WorkerEvent) {
        if let Some(watch) = &self.options.watch {
            watch(event);
        }
    }
}
