//! Knowing when there is nothing left to do.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use millpond::client::{Ended, Engine, WorkerEvent};
use millpond::domain::{ExecutionId, Queue};
use millpond::keys::{self, MailKey};
use millpond::ports::BucketError;
use millpond::timers;

/// Pauses between looks: short, since scripts wait for it; longer while nothing changes.
const FIRST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_secs(1);

/// What a worker is at, as its events tell.
#[derive(Debug, Clone, Default)]
pub struct Idle(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    running: BTreeSet<ExecutionId>,
    /// Executions that this worker cannot run: their causes are left for others.
    left: BTreeSet<ExecutionId>,
    began: u64,
}

impl Idle {
    /// Takes in what a worker tells.
    pub fn hear(&self, event: &WorkerEvent) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            WorkerEvent::Began(eid) => {
                state.running.insert(*eid);
                state.began += 1;
            }
            WorkerEvent::Ended(eid, ended) => {
                state.running.remove(eid);
                match ended {
                    Ended::Unregistered(..) | Ended::NewerCode(_) => state.left.insert(*eid),
                    _ => state.left.remove(eid),
                };
            }
            WorkerEvent::Failed(eid, _) => {
                state.running.remove(eid);
            }
            _ => {}
        }
    }

    fn look(&self) -> (bool, u64, BTreeSet<ExecutionId>) {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (state.running.is_empty(), state.began, state.left.clone())
    }
}

/// Returns when no execution of `queues` has work: each is over, parked, or waits for a
/// message or for a later time. 2 P for each look.
///
/// A cause lies in the bucket until a run has served it, and what a run causes is there before
/// its own cause goes; so two looks in a row without any cause, between which no run began,
/// show that nothing is under way, in other processes either.
pub async fn until_idle(engine: &Engine, queues: &[Queue], idle: &Idle) {
    let clock = Arc::clone(&engine.ports().clock);
    let (mut quiet, mut pause) = (None, FIRST);
    loop {
        let (resting, began, left) = idle.look();
        let calm = resting && matches!(causes(engine, queues, &left).await, Ok(false));
        let still = calm && idle.look().1 == began;
        if still && quiet == Some(began) {
            return;
        }
        quiet = still.then_some(began);
        pause = if still {
            FIRST
        } else {
            (pause * 3 / 2).min(LONGEST)
        };
        clock.sleep(pause).await;
    }
}

/// Whether some execution has a cause to be run now.
async fn causes(
    engine: &Engine,
    queues: &[Queue],
    left: &BTreeSet<ExecutionId>,
) -> Result<bool, BucketError> {
    let ports = engine.ports();
    let mut after = None;
    loop {
        let due = timers::due(ports, ports.clock.now(), after.as_ref(), 1_000).await?;
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
