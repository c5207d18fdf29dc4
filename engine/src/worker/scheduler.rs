//! Decides which executions to run and when, and what follows from the end of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::job::{Finished, Job};
use super::paused::Paused;
use super::scan::Scan;
use super::share::Share;
use super::{WorkerEvent, WorkerOptions};
use crate::domain::{Class, ExecutionId, Queue};
use crate::keys::{Key, MailKey};
use crate::ports::Hint;
use crate::process::{Core, STORE, chain};
use crate::run::Causes;

/// The causes of an execution that waits for a run.
#[derive(Debug, Default)]
struct Waiting {
    mail: BTreeSet<Key>,
    timers: BTreeSet<Key>,
    /// Whether a hint named one of them. Otherwise the next poll finds them again.
    hinted: bool,
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
    pub(super) paused: BTreeMap<ExecutionId, Paused>,
    logged: BTreeSet<String>,
    /// Whether the last poll failed.
    pub(super) failing: bool,
    arrivals: u64,
    pub(super) next_look: Duration,
    /// When the last poll ended.
    pub(super) looked_at: Duration,
    pub(super) interval: Duration,
    pub(super) next_timer: Option<Timestamp>,
    pub(super) scans: BTreeMap<Queue, Scan>,
    pub(super) share: Share,
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
        let concurrency = options.concurrency;
        Self {
            ready: options.queues.iter().map(|_| BTreeMap::new()).collect(),
            retries: options.queues.iter().map(|_| BTreeMap::new()).collect(),
            interval: options.busy,
            core,
            options,
            waiting: BTreeMap::new(),
            running: BTreeMap::new(),
            paused: BTreeMap::new(),
            logged: BTreeSet::new(),
            failing: false,
            arrivals: 0,
            next_look,
            looked_at: next_look,
            next_timer: None,
            scans: BTreeMap::new(),
            share: Share::new(concurrency),
            timer_cursor: None,
            timers_listed: Duration::ZERO,
            closed: BTreeMap::new(),
        }
    }

    pub(super) fn now(&self) -> Duration {
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

    /// Returns whether a poll is due before anything else begins.
    pub(super) fn must_look(&self) -> bool {
        self.share.outdated || !self.has_work()
    }

    /// **N25** After a run for nothing, the worker takes from another page.
    fn adapt(&mut self, wasted: bool, poll: u64) {
        if self.share.adapt(wasted, poll) {
            let [shard, ..] = self.core.ports.entropy.u64().to_le_bytes();
            for (queue, scan) in &mut self.scans {
                scan.jump(queue, shard);
            }
        }
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
            // A fresh cause ends a pause that follows a run without one. A message that the execution
            // does not take is none: each one of a flood would cost a run.
            let message =
                MailKey::parse(&hint.cause).is_some_and(|mail| mail.mid.class() == Class::Message);
            let full = self.paused.get(&hint.eid).is_some_and(|paused| paused.full);
            if !(message && full) {
                self.paused.remove(&hint.eid);
            }
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
                && !self.share.outdated
                && let Some((eid, retry)) = self.next_job(priority)
            {
                let Some((queue, waiting)) = self.waiting.remove(&eid) else {
                    continue;
                };
                if !waiting.hinted {
                    self.share.count_taken();
                }
                self.running.insert(eid, retry);
                self.report(&WorkerEvent::Began(eid));
                let causes = Causes {
                    queue,
                    mail: waiting.mail.into_iter().collect(),
                    timers: waiting.timers.into_iter().collect(),
                    deliveries: self.paused.get(&eid).map_or(0, |paused| paused.times),
                    possible_duplicate: false, // the worker has polled, or polls soon
                };
                let poll = self.share.polls;
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
            Ok(ended) => self.report(&WorkerEvent::Ended(eid, ended.clone())),
            Err(error) => {
                let text = chain(error);
                self.report(&WorkerEvent::Failed(eid, text.clone()));
                let of_the_store = !error.is_of_the_execution();
                self.log_once(format!("{eid}: {text}"), || {
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

    /// Returns whether a known timer is due, or others may be that this worker has not listed.
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
        let outdated = self
            .share
            .outdated
            .then_some(self.looked_at + self.options.busy);
        [timer, paused.min(), outdated]
            .into_iter()
            .flatten()
            .fold(self.next_look, Duration::min)
    }

    /// Begins a poll, which covers the pauses that have ended. Drops those that ended long ago.
    pub(super) fn looked(&mut self) {
        let now = self.now();
        self.share.begin_poll();
        if self.share.outdated {
            self.forget_found();
        }
        self.looked_at_pauses(now);
    }

    /// Logs a message once.
    pub(super) fn log_once(&mut self, what: String, log: impl FnOnce()) {
        if self.logged.len() < 10_000 && self.logged.insert(what) {
            log();
        }
    }

    pub(super) fn report(&self, event: &WorkerEvent) {
        if let Some(watch) = &self.options.watch {
            watch(event);
        }
    }
}
