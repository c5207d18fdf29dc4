//! Detects that no execution has work.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use millpond::client::{Ended, Engine, WorkerEvent, due_timers};
use millpond::domain::{ExecutionId, Queue};
use millpond::keys::{self, MailKey};
use millpond::ports::{Backoff, BucketError};

/// Pauses between checks: short, because scripts wait for the result; longer while nothing changes.
const POLL: Backoff = Backoff::new(Duration::from_millis(20), Duration::from_secs(1));

/// What a worker is running, according to its events.
#[derive(Debug, Clone, Default)]
pub struct Idle(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    running: BTreeSet<ExecutionId>,
    /// Executions that this worker cannot run: other workers do.
    left: BTreeSet<ExecutionId>,
    began: u64,
}

impl Idle {
    /// Processes an event of the worker.
    pub fn observe(&self, event: &WorkerEvent) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            WorkerEvent::Began(eid) => {
                state.running.insert(*eid);
                state.began += 1;
            }
            WorkerEvent::Ended(eid, ended) => {
                state.running.remove(eid);
                match ended {
                    Ended::Unregistered(..) | Ended::NewerCode(_) | Ended::Full => {
                        state.left.insert(*eid)
                    }
                    _ => state.left.remove(eid),
                };
            }
            WorkerEvent::Failed(eid, _) => {
                state.running.remove(eid);
            }
            _ => {}
        }
    }

    fn snapshot(&self) -> (bool, u64, BTreeSet<ExecutionId>) {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (state.running.is_empty(), state.began, state.left.clone())
    }
}

/// Returns when no execution of `queues` has work: each one has ended, is paused or blocked, or waits
/// for a message or a later time. 2 P for each check.
///
/// A cause stays in the bucket until a run has served it, and the effects of a run are in the bucket
/// before its own cause is deleted. Therefore two consecutive checks without any cause, between which
/// no run began, show that no process is running an execution.
pub async fn until_idle(engine: &Engine, queues: &[Queue], idle: &Idle) {
    let clock = Arc::clone(&engine.ports().clock);
    let (mut quiet, mut busy) = (None, 1);
    loop {
        let (resting, began, left) = idle.snapshot();
        let calm = resting && matches!(causes(engine, queues, &left).await, Ok(false));
        let still = calm && idle.snapshot().1 == began;
        if still && quiet == Some(began) {
            return;
        }
        quiet = still.then_some(began);
        busy = if still { 1 } else { busy + 1 };
        clock.sleep(POLL.after(busy)).await;
    }
}

/// Whether an execution has a cause to run now.
async fn causes(
    engine: &Engine,
    queues: &[Queue],
    left: &BTreeSet<ExecutionId>,
) -> Result<bool, BucketError> {
    let ports = engine.ports();
    let mut after = None;
    loop {
        let due = due_timers(ports, ports.clock.now(), after.as_ref(), 1_000).await?;
        let ours = |eid: &ExecutionId, queue: &Queue| queues.contains(queue) && !left.contains(eid);
        if due
            .now
            .iter()
            .any(|(_, timer)| ours(&timer.eid, &timer.queue))
        {
            return Ok(true);
        }
        after = due.rest;
        if after.is_none() {
            break;
        }
    }
    for queue in queues {
        let mail = ports.list(&keys::mail_queue(queue)).await?;
        let mut found = mail.iter().filter_map(|row| MailKey::parse(&row.key));
        if found.any(|mail| !left.contains(&mail.eid)) {
            return Ok(true);
        }
    }
    Ok(false)
}
