//! The worker's role on Lambda: runs the executions that a batch of events names.
//!
//! - Each execution runs once, whatever the number of its hints; different executions run
//!   concurrently. Executions whose earlier deliveries had no effect run last and one at a time, so
//!   that one that kills the process does not interrupt others.
//! - A message is acknowledged when everything it refers to was served: run until it suspends or ends,
//!   found stale, leased by another run (whose holder lists the mailbox again), or left by this build
//!   (the sweeper sends the hint again). It is reported as failed when a run failed, crashed or did not
//!   end in time. Nothing is acknowledged before the commit that serves it.
//! - Mail that this process has just served is acknowledged without a request ([`Seen`]).
//! - If a timer arrives before its time, the run waits for it or the hint is sent again: as a cause it
//!   would prove a time that has not come.
//!
//! Price: the price of the runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::channel::mpsc;
use futures::{FutureExt, StreamExt, stream};
use jiff::Timestamp;
use millpond::client::{Causes, Ended, Engine, RunError, Stop, chain};
use millpond::domain::{ExecutionId, Queue};
use millpond::keys::{Key, TimerKey};
use millpond::ports::Hint;
use tracing::Instrument as _;

use super::hints::Delivery;
use super::seen::Seen;
use super::time::Deadline;

/// Maximum number of executions that run at the same time.
const AT_ONCE: usize = 64;
/// Deliveries without effect after which an execution runs alone.
const SUSPECT: u64 = 3;
/// A run waits for a timer that is early by at most this time.
const EARLY: Duration = Duration::from_secs(2);

/// How one execution was served.
#[derive(Debug)]
pub struct Served {
    /// The execution.
    pub eid: ExecutionId,
    /// How its run ended; `None`: it did not end in time.
    pub ended: Option<Result<Ended, RunError>>,
    /// How long its oldest message waited for this run, if known.
    pub waited: Option<Duration>,
    /// How long its timer had been due.
    pub late: Option<Duration>,
}

/// How a batch was served.
#[derive(Debug, Default)]
pub struct Batch {
    /// Messages that must be delivered again.
    pub failed: BTreeSet<String>,
    /// Whether a record without a message failed.
    pub whole_failed: bool,
    /// Each execution.
    pub served: Vec<Served>,
}

/// The records of a batch for one execution.
#[derive(Debug)]
struct Group {
    queue: Queue,
    mail: BTreeSet<Key>,
    timers: BTreeSet<Key>,
    received: u64,
    sent: Option<Timestamp>,
    records: BTreeSet<usize>,
    /// Whether all of them are delivered for the first time.
    first: bool,
}

type Groups = Vec<(ExecutionId, Group)>;

/// Runs the executions of `records`, until `deadline`.
pub async fn batch(
    engine: &Engine,
    seen: &Seen,
    records: &[Delivery],
    deadline: Deadline,
) -> Batch {
    let clock = Arc::clone(&engine.ports().clock);
    let (fresh, suspects) = groups(records);
    let stop = Stop::default();
    let ended = Mutex::new(Vec::new());
    let note = |served: Served| {
        let mut ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.push(served);
    };
    let all: BTreeMap<ExecutionId, BTreeSet<usize>> = fresh
        .iter()
        .chain(&suspects)
        .map(|(eid, group)| (*eid, group.records.clone()))
        .collect();
    let work = async {
        stream::iter(fresh)
            .map(|(eid, group)| serve(engine, seen, eid, group, &stop))
            .buffer_unordered(AT_ONCE)
            .for_each(async |served| note(served))
            .await;
        for (eid, group) in suspects {
            note(serve(engine, seen, eid, group, &stop).await);
        }
    };
    let _in_time = deadline.keep(&clock, &stop, work.boxed()).await;
    let mut served = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
    let known: BTreeSet<ExecutionId> = served.iter().map(|served| served.eid).collect();
    let missing = all.keys().filter(|eid| !known.contains(eid));
    served.extend(missing.map(|eid| Served {
        eid: *eid,
        ended: None,
        waited: None,
        late: None,
    }));
    let mut batch = Batch::default();
    for one in served.iter().filter(|one| one.needs_redelivery()) {
        for at in all.get(&one.eid).into_iter().flatten() {
            match records.get(*at).and_then(|record| record.message.clone()) {
                Some(message) => drop(batch.failed.insert(message)),
                None => batch.whole_failed = true,
            }
        }
    }
    batch.served = served;
    batch
}

impl Served {
    /// Whether its messages must be delivered again.
    #[must_use]
    pub fn needs_redelivery(&self) -> bool {
        match &self.ended {
            None | Some(Err(_)) => true,
            Some(Ok(ended)) => match ended {
                // More work remains, and no other hint refers to it.
                Ended::Again | Ended::Stalled(_) => true,
                Ended::Suspended(_)
                | Ended::Terminal(_)
                | Ended::Parked(_)
                | Ended::Held(_)
                | Ended::Orphan
                | Ended::Stale
                | Ended::Sliced
                | Ended::Lost => false,
                // Its causes stay, and the sweeper sends them again, until a newer build serves them.
                Ended::Unregistered(..) | Ended::NewerCode(_) => false,
                // So do these, until the execution has received some of its messages.
                Ended::Full => false,
            },
        }
    }
}

/// Groups by execution; those whose earlier deliveries had no effect are second.
fn groups(records: &[Delivery]) -> (Groups, Groups) {
    let mut groups: BTreeMap<ExecutionId, Group> = BTreeMap::new();
    for (at, record) in records.iter().enumerate() {
        for hint in &record.hints {
            let group = groups.entry(hint.eid).or_insert_with(|| Group {
                queue: hint.queue.clone(),
                mail: BTreeSet::new(),
                timers: BTreeSet::new(),
                received: 0,
                sent: None,
                records: BTreeSet::new(),
                first: true,
            });
            match hint.at {
                Some(_) => group.timers.insert(hint.cause.clone()),
                None => group.mail.insert(hint.cause.clone()),
            };
            group.received = group.received.max(record.received);
            // Without a message the number of deliveries is unknown.
            group.first &= record.received == 1 && record.message.is_some();
            group.sent = [group.sent, record.sent].into_iter().flatten().min();
            group.records.insert(at);
        }
    }
    groups
        .into_iter()
        .partition(|(_, group)| group.received < SUSPECT)
}

async fn serve(
    engine: &Engine,
    seen: &Seen,
    eid: ExecutionId,
    group: Group,
    stop: &Stop,
) -> Served {
    let clock = &engine.ports().clock;
    // Half the age at which the sweeper sends mail: its deliveries are never skipped.
    let recently = engine.core().settings.ttl / 2;
    let began = clock.now();
    let since = |at: Timestamp| Duration::try_from(began.duration_since(at)).unwrap_or_default();
    let waited = group.sent.filter(|_| !group.mail.is_empty()).map(since);
    let due = group.timers.iter().filter_map(TimerKey::parse);
    let late = due.map(|timer| since(timer.due)).max();
    let mut causes = Causes {
        queue: group.queue,
        mail: group
            .mail
            .into_iter()
            .filter(|key| !seen.take(key, clock.monotonic(), recently))
            .collect(),
        timers: due_now(engine, eid, group.timers).await,
        deliveries: u32::try_from(group.received.saturating_sub(1)).unwrap_or(u32::MAX),
        // A redelivery may represent more than its cause: an earlier run may have been cut off after
        // its end and before its last list, while other senders relied on that list.
        possible_duplicate: group.first,
    };
    if causes.mail.is_empty() && causes.timers.is_empty() {
        return Served {
            eid,
            ended: Some(Ok(Ended::Suspended(None))),
            waited,
            late: None,
        };
    }
    let ended = loop {
        let ended = run(engine, eid, causes.clone(), stop).await;
        match &ended {
            // Interrupted by the deadline: this run itself has the lease, and no other run lists
            // the mailbox again.
            Some(Ok(Ended::Held(_))) if stop.now.is_set() => break None,
            Some(Ok(Ended::Again)) if !stop.gently.is_set() => {
                (causes.deliveries, causes.possible_duplicate) = (0, false);
            }
            Some(Err(error)) => {
                let error = chain(error);
                tracing::warn!(%eid, %error, "the run failed: its messages are delivered again");
                break ended;
            }
            Some(Ok(Ended::Unregistered(workflow, version))) => {
                tracing::warn!(%eid, %workflow, %version, "the workflow is not registered in this build: its mail stays for a build that has it");
                break ended;
            }
            _ => break ended,
        }
    };
    if let Some(Ok(Ended::Suspended(_) | Ended::Terminal(_))) = &ended {
        seen.served(&causes.mail, clock.monotonic());
    }
    Served {
        eid,
        ended,
        waited,
        late,
    }
}

/// Runs an execution in a task of its own, so that runs share the processors; `None`: the task
/// panicked (an error of the engine).
async fn run(
    engine: &Engine,
    eid: ExecutionId,
    causes: Causes,
    stop: &Stop,
) -> Option<Result<Ended, RunError>> {
    let (send, mut ended) = mpsc::channel(1);
    let (runs, stop) = (engine.clone(), stop.clone());
    let work = async move {
        let ended = runs.run_until(eid, causes, stop).await;
        let mut send = send;
        // The receiver is dropped when the time is over.
        let _ = send.try_send(ended);
    };
    let span = crate::telemetry::span(&eid);
    let _runs_on = engine.ports().spawner.spawn(work.instrument(span).boxed());
    ended.next().await
}

/// The timers that are due. Waits for those that are almost due.
async fn due_now(engine: &Engine, eid: ExecutionId, timers: BTreeSet<Key>) -> Vec<Key> {
    let ports = engine.ports();
    let mut due = Vec::with_capacity(timers.len());
    for cause in timers {
        let Some(timer) = TimerKey::parse(&cause) else {
            continue;
        };
        let early = timer.due.duration_since(ports.clock.now());
        let early = Duration::try_from(early).unwrap_or_default();
        if early > EARLY {
            // A skewed clock, or a foreign message: the hint is sent again for its time.
            let at = Some(timer.due);
            let queue = timer.queue;
            let hint = Hint {
                queue,
                eid,
                cause,
                at,
            };
            ports.wakeups.notify(hint).await;
            continue;
        }
        if !early.is_zero() {
            ports.clock.sleep(early).await;
        }
        due.push(cause);
    }
    due
}
