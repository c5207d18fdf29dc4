//! Due timers. Keys are sorted by time, so a backlog of one queue would hide later timers of the others.
//!
//! A listing reads a window of pages and takes at most 10,000 timers of each queue; then the queues take
//! turns. A queue with more of them is left out of the windows that follow. When the windows have reached
//! the end, a new listing begins after the last timer that was taken before the first that was left out.
//!
//! Memory: 10,000 keys for each queue.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::position::{TimersAt, next_of};
use super::{PAGE, Sweeper, Swept};
use crate::domain::Queue;
use crate::keys::{Key, TimerKey};
use crate::ports::{BucketError, Hint};
use crate::timers;

/// Pages of a window.
const WINDOW: usize = 100;
/// Timers of a queue that are taken from a window.
const LANE: usize = 10_000;

/// The timers of a window that wait for their hints, by queue.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    of: BTreeMap<Queue, VecDeque<(Key, TimerKey)>>,
    /// The queue that had the last turn.
    turn: Option<Queue>,
    /// The position once all of them have been handled.
    then: TimersAt,
}

impl Sweeper {
    /// Handles up to a page of timers, or lists a window first; returns whether more may follow.
    pub(super) async fn timers(
        &self,
        swept: &mut Swept,
        lanes: &mut Lanes,
    ) -> Result<bool, BucketError> {
        if lanes.of.is_empty() {
            self.list(&swept.position.timers, lanes).await?;
        }
        for _ in 0..PAGE {
            let Some((queue, _)) = next_of(&lanes.of, lanes.turn.as_ref()) else {
                break;
            };
            let queue = queue.clone();
            lanes.turn = Some(queue.clone());
            let Some(lane) = lanes.of.get_mut(&queue) else {
                break;
            };
            if let Some((cause, timer)) = lane.pop_front() {
                self.due(cause, timer, swept).await;
            }
            if lanes.of.get(&queue).is_some_and(VecDeque::is_empty) {
                lanes.of.remove(&queue);
            }
        }
        if !lanes.of.is_empty() {
            return Ok(true);
        }
        let at = &mut swept.position.timers;
        let of = std::mem::take(&mut at.of);
        *at = TimersAt {
            of,
            ..std::mem::take(&mut lanes.then)
        };
        if at.window.is_some() {
            return Ok(true);
        }
        if at.left.is_empty() {
            *at = TimersAt::default();
            return Ok(false);
        }
        // The windows have reached the end: what was left out follows.
        at.left.clear();
        at.all = at.rest.take();
        Ok(true)
    }

    /// Lists the next window.
    async fn list(&self, at: &TimersAt, lanes: &mut Lanes) -> Result<(), BucketError> {
        let ports = &self.core.ports;
        let now = ports.clock.now();
        let horizon = now.checked_add(self.ahead).unwrap_or(now);
        let mut then = TimersAt {
            of: BTreeMap::new(), // grows with each hint
            ..at.clone()
        };
        let mut after = at.window.clone().or_else(|| at.all.clone());
        then.window = None;
        for page in 1..=WINDOW {
            let due = timers::due(ports, horizon, after.as_ref(), PAGE).await?;
            for (key, timer) in due.now {
                let queue = &timer.queue;
                let handled = at.of.get(queue).is_some_and(|last| key <= *last);
                if handled || then.left.contains(queue) {
                    continue;
                }
                let lane = lanes.of.entry(queue.clone()).or_default();
                if lane.len() < LANE {
                    lane.push_back((key, timer));
                } else if let Some((last, _)) = lane.back() {
                    let last = last.clone();
                    let first = then.rest.as_ref().is_none_or(|rest| last < *rest);
                    if first {
                        then.rest = Some(last);
                    }
                    then.left.insert(timer.queue);
                }
            }
            after = due.rest;
            if after.is_none() {
                break;
            }
            if page == WINDOW {
                then.window = after.clone();
            }
        }
        lanes.then = then;
        Ok(())
    }

    /// Reports a timer that is due, or will be within the lookahead.
    async fn due(&self, cause: Key, timer: TimerKey, swept: &mut Swept) {
        let ports = &self.core.ports;
        let now = ports.clock.now();
        let at = Some(timer.due).filter(|due| *due > now);
        let late = now.duration_since(timer.due);
        let late = Duration::try_from(late).unwrap_or_default();
        let queue = timer.queue.clone();
        if self.is_time(late, now) {
            let hint = Hint {
                queue: timer.queue,
                eid: timer.eid,
                cause: cause.clone(),
                at,
            };
            ports.wakeups.notify(hint).await;
            swept.reported += 1;
        }
        match at {
            Some(_) => swept.ahead += 1,
            None => swept.timers += 1,
        }
        swept.position.timers.of.insert(queue, cause);
    }
}
