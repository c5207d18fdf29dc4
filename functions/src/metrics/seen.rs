//! What a worker's events add up to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use millpond::client::{Ended, WorkerEvent};
use millpond::domain::Queue;

/// The sums of the events of one worker. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen(Arc<Mutex<Sums>>);

/// The sums.
#[derive(Debug, Clone, Default)]
pub(super) struct Sums {
    /// Runs in progress.
    pub(super) running: u64,
    /// Ends of runs, by result.
    pub(super) ended: BTreeMap<&'static str, u64>,
    /// The oldest message of each queue in the last poll; `None` if there was none.
    pub(super) mail: BTreeMap<Queue, Option<Timestamp>>,
    /// The earliest timer that was due in the last poll.
    pub(super) timer: Option<Timestamp>,
    /// Why polls fail, as long as they do.
    pub(super) failing: Option<String>,
}

impl Seen {
    /// Adds an event.
    pub(crate) fn observe(&self, event: &WorkerEvent) {
        let mut sums = self.lock();
        match event {
            WorkerEvent::Began(_) => sums.running += 1,
            WorkerEvent::Ended(_, ended) => {
                sums.running = sums.running.saturating_sub(1);
                *sums.ended.entry(result(ended)).or_default() += 1;
            }
            WorkerEvent::Failed(..) => {
                sums.running = sums.running.saturating_sub(1);
                *sums.ended.entry("error").or_default() += 1;
            }
            WorkerEvent::FoundMail { queue, oldest } => {
                sums.mail.insert(queue.clone(), *oldest);
            }
            WorkerEvent::FoundTimers { earliest } => sums.timer = *earliest,
            WorkerEvent::PollFailing(why) => sums.failing = Some(why.clone()),
            WorkerEvent::PollRecovered => sums.failing = None,
        }
    }

    pub(super) fn sums(&self) -> Sums {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Sums> {
        // No code between two changes panics.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The label of a run that ended.
fn result(ended: &Ended) -> &'static str {
    match ended {
        Ended::Terminal(status) | Ended::Parked(status) => status.as_str(),
        Ended::Suspended(_) => "suspended",
        Ended::Held(_) => "held",
        Ended::Orphan => "orphan",
        Ended::Stale => "stale",
        Ended::Full => "full",
        Ended::Sliced => "handed_on",
        Ended::Unregistered(..) => "unregistered",
        Ended::NewerCode(_) => "newer_code",
        Ended::Lost => "lost",
        Ended::Stalled(_) => "stalled",
        Ended::Again => "again",
    }
}
