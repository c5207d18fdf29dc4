//! Decides which executions to run and when, and what follows from the end of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures::channel::mpsc;
use jiff::Timestamp;

use super::scan::Scan;
use super::{WorkerEvent, WorkerOptions};
use crate::domain::{ExecutionId, Queue};
use crate::keys::Key;
use crate::ports::{Backoff, BucketError, Hint};
use crate::process::{Core, STORE, chain};
use crate::run::{self, Causes, Ended, RunError, Stop};

/// How many executions a worker takes from its first poll.
const QUOTA: f64 = 8.0;
/// The weight of one run in the share of runs that were for nothing.
const WEIGHT: f64 = 0.1;
/// The share of them above which a worker takes less.
const WASTE: f64 = 0.2;
/// What is left of the quota after a run while the share is above that.
const SHRINK: f64 = 0.8;
/// Pauses after runs of one execution without effect.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(30));

pub(super) struct Job {
    eid: ExecutionId,
    causes: Causes,
    /// The number of the poll that found it.
    poll: u64,
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
    /// Whether another process had done the work, or does it.
    wasted: bool,
    /// As in [`Job`].
    poll: u64,
}

pub(super) async fn job(
    core: Arc<Core>,
    job: Job,
    stop: Stop,
    done: mpsc::UnboundedSender<Finished>,
) {
    let Job { eid, causes, poll } = job;
    let mut served = Vec::new();
    let by_mail = !causes.mail.is_empty();
    let ended = run::run(core, eid, causes, stop, &mut served).await;
    let wasted = match &ended {
        Ok(Ended::Held(_) | Ended::Lost | Ended::Stale | Ended::Orphan) => true,
        Ok(Ended::Terminal(_)) => by_mail && served.is_empty(),
        _ => false,
    };
    // The receiver is gone if the worker was abandoned.
    let _ = done.unbounded_send(Finished {
        eid,
        ended,
        served,
        wasted,
        poll,
    });
}

/// The causes of an execution that waits for a run.
#[derive(Debug, Default)]
struct Waiting {
    mail: BTreeSet<Key>,
    timers: BTreeSet<Key>,
    /// Whether a hint named one of them. Otherwise the next poll finds them again.
    hinted: bool,
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
    /// When the last poll ended.
    pub(super) looked_at: Duration,
    pub(super) interval: Duration,
    pub(super) next_timer: Option<Timestamp>,
    pub(super) scans: BTreeMap<Queue, Scan>,
    /// The shard from which the worker takes what a poll has found.
    pub(super) place: u8,
    /// The number of polls.
    polls: u64,
    /// How many executions the worker takes from one poll.
    quota: f64,
    /// How many of them it has taken.
    taken: u32,
    /// The share of recent runs that were for nothing.
    waste: f64,
    /// Whether what the last poll found may be obsolete.
    pub(super) outdated: bool,
    pub(super) timer_cursor: Option<Key>,
    /// When the timers were listed last.
    pub(super) timers_listed: Duration,
    /// The listings that failed, each with the instant before which it is not retried. A key is
    /// the queue of the mail, or `None` for the timers.
    pub(super) closed: BTreeMap<Option<Queue>, Duration>,
}

impl Scheduler {
    pub(super) fn new(core: Arc<Core>, options: WorkerOptions) -> Self {
        let next_look = core.ports.clock.monotonic();
        let [place, ..] = core.ports.entropy.u64().to_le_bytes();
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
            looked_at: next_look,
            next_timer: None,
            scans: BTreeMap::new(),
            place,
            polls: 0,
            quota: QUOTA,
            taken: 0,
            waste: 0.0,
            outdated: false,
            timer_cursor: None,
            timers_listed: Duration::ZERO,
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

    fn most(&self) -> u32 {
        u32::try_from(self.options.concurrency).unwrap_or(u32::MAX)
    }

    /// Returns whether a poll is due before anything else begins.
    pub(super) fn must_look(&self) -> bool {
        self.outdated || !self.has_work()
    }

    /// **N25** Adapts how much the worker takes from one poll to the share of runs that were for
    /// nothing, as a sender adapts to a congested network; after the first such run of a poll it
    /// polls again and takes from another place. Bad interleaving: sixteen workers list the same page
    /// and take it in the same order; each execution is run sixteen times.
    fn adapt(&mut self, wasted: bool, poll: u64) {
        let most = f64::from(self.most());
        self.waste += (f64::from(u8::from(wasted)) - self.waste) * WEIGHT;
        if wasted && poll == self.polls && !self.outdated {
            [self.place, ..] = self.core.ports.entropy.u64().to_le_bytes();
            for (queue, scan) in &mut self.scans {
                scan.jump(queue, self.place);
            }
            self.outdated = true;
        }
        self.quota = match self.waste > WASTE {
            true => (self.quota.min(most) * SHRINK).max(1.0),
            false => (self.quota + 1.0).min(most * 4.0),
        };
    }

    /// Returns whether other workers were seen to take the same executions.
    pub(super) fn is_contended(&self) -> bool {
        self.waste > WEIGHT / 2.0
    }

    /// Counts an execution that the worker takes from what the last poll has found.
    fn count_taken(&mut self) {
        self.taken += 1;
        let all = self.quota >= f64::from(self.most());
        self.outdated |= !all && f64::from(self.taken) >= self.quota;
    }

    /// Drops the mail that earlier polls have found: the next one finds what is left of it.
    fn forget_found(&mut self) {
        let kept = |waiting: &Waiting| waiting.hinted || !waiting.timers.is_empty();
        self.waiting.retain(|_, (_, waiting)| kept(waiting));
        for queue in self.ready.iter_mut().chain(&mut self.retries) {
            queue.retain(|_, eid| self.waiting.contains_key(eid));
        }
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
        let eid = hint.eid;
        if crate::keys::TimerKey::parse(&hint.cause).is_some() {
            self.saw_timer(&hint.queue, hint.eid, hint.cause);
        } else {
            // A fresh cause ends a pause that follows a run without one.
            self.paused.remove(&hint.eid);
            self.core.run_hints.notify(&hint.eid, &hint.cause);
            self.saw_mail(&hint.queue, hint.eid, hint.cause);
        }
        if let Some((_, waiting)) = self.waiting.get_mut(&eid) {
            waiting.hinted = true;
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
                && !self.outdated
                && let Some((eid, retry)) = self.next_job(priority)
            {
                let Some((queue, waiting)) = self.waiting.remove(&eid) else {
                    continue;
                };
                if !waiting.hinted {
                    self.count_taken();
                }
                self.running.insert(eid, retry);
                self.tell(&WorkerEvent::Began(eid));
                let causes = Causes {
                    queue,
                    mail: waiting.mail.into_iter().collect(),
                    timers: waiting.timers.into_iter().collect(),
                    deliveries: self.paused.get(&eid).map_or(0, |paused| paused.times),
                    possible_duplicate: false, // the worker has polled, or polls soon
                };
                let poll = self.polls;
                jobs.push(Job { eid, causes, poll });
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
        let Finished {
            eid,
            ended,
            served,
            wasted,
            poll,
        } = finished;
        self.running.remove(&eid);
        self.adapt(wasted, poll);
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
                Ended::Terminal(_) | Ended::Parked(_) | Ended::Stale | Ended::Sliced | Ended::Again,
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
            Ok(Ended::Orphan) => {
                self.say(eid.to_string(), || {
                    tracing::error!(%eid, "the head of this execution is missing; its mail and timers stay: run doctor");
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

    /// Returns whether a known timer is due, or others may be that this worker does not know.
    pub(super) fn must_list_timers(&self) -> bool {
        let known = self
            .next_timer
            .is_some_and(|at| at <= self.core.ports.clock.now());
        known || self.now() >= self.timers_listed + self.options.idle
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
        let outdated = self.outdated.then_some(self.looked_at + self.options.busy);
        [timer, paused.min(), outdated]
            .into_iter()
            .flatten()
            .fold(self.next_look, Duration::min)
    }

    /// Begins a poll, which covers the pauses that have ended. Drops those that ended long ago.
    pub(super) fn looked(&mut self) {
        let now = self.now();
        (self.polls, self.taken) = (self.polls + 1, 0);
        if self.outdated {
            self.forget_found();
        }
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
