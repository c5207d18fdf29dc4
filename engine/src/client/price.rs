//! The cost of an execution in requests, computed from its journal by the price list
//! (docs/operations.md, Price list).
//!
//! | for | write | read |
//! |---|---|---|
//! | its start | 2 (mail, head) | 1 with a key |
//! | each run | 1 list, + 1 list if it is not the last | 1 head, + 1 per segment by then |
//! | each commit | 1 | |
//! | each renewal (a commit without entries) | + 1 list | |
//! | each run's end | 1 feed object | |
//! | each timer that was set | 1 | |
//! | each mail absorbed | | 1 |
//! | each signal and control message | 1 | 1 |
//! | each message to another, each child that is closed | 1 | |
//! | its result, mailed to a parent that waits | 1 | |
//! | each large value, each segment | 1 | |
//!
//! A child's requests count for the child, including its start. Requests without a trace in the
//! journal are not counted: retries, runs without a commit, polling, reads by people. The result
//! is therefore an estimate. It is a lower bound, except for signals that shared one read of the
//! head.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::past::History;
use super::{Engine, EngineError};
use crate::domain::{Began, Entry, ExecutionId, FrameId, Wait};
use crate::journal::Price;

impl Engine {
    /// Returns the cost of an execution so far, computed from its journal; the header of
    /// `price.rs` contains the formula. 1 G, + 1 G for each segment; 2 G if it is archived.
    ///
    /// # Errors
    /// Unknown execution; the store failed, or an object cannot be read.
    pub async fn price(&self, eid: ExecutionId) -> Result<Price, EngineError> {
        Ok(price(&self.history(eid, 0).await?))
    }
}

/// Adds up the cost of a journal.
pub(super) fn price(history: &History) -> Price {
    let (record, segments) = (&history.record, &history.segments);
    let mut price = Price::of_start(record);
    price.write_requests += segments.len() as u64 + history.inlined;
    let mut deadlines = Deadlines::default();
    let mut under_way = false;
    for commit in &history.commits {
        price.write_requests += 1 + u64::from(commit.entries.is_empty());
        if !std::mem::replace(&mut under_way, true) {
            let sealed = segments.iter().filter(|end| **end <= commit.first);
            price.write_requests += 1;
            price.read_requests += 1 + sealed.count() as u64;
        }
        for entry in &commit.entries {
            price = price + Price::of_entry(entry);
            deadlines.add(entry);
        }
        if let Some(last) = commit.entries.iter().find_map(ends_run) {
            under_way = false;
            price.write_requests += 1; // the feed object
            match last {
                Last::Over => {
                    price.write_requests +=
                        u64::from(record.parent.as_ref().is_some_and(|p| p.waits));
                }
                Last::Waits => price.write_requests += 1 + deadlines.set(),
            }
        }
    }
    price
}

enum Last {
    /// The execution is over.
    Over,
    /// The execution continues later: the run lists once more before it ends.
    Waits,
}

fn ends_run(entry: &Entry) -> Option<Last> {
    match entry {
        Entry::Completed { .. } | Entry::Failed { .. } | Entry::Cancelled { .. } => {
            Some(Last::Over)
        }
        Entry::Suspended | Entry::Paused { .. } | Entry::Blocked(_) | Entry::Sliced => {
            Some(Last::Waits)
        }
        _ => None,
    }
}

/// The open deadlines; the timer is the earliest of them.
#[derive(Default)]
struct Deadlines {
    open: BTreeMap<FrameId, Timestamp>,
    timer: Option<Timestamp>,
}

impl Deadlines {
    fn add(&mut self, entry: &Entry) {
        match entry {
            Entry::FrameSuspended { fid, wait } => {
                let due = match wait {
                    Wait::Sleep { due } | Wait::Retry { due, .. } => Some(*due),
                    Wait::Message { due, .. } => *due,
                };
                if let Some(due) = due {
                    self.open.insert(fid.clone(), due);
                }
            }
            Entry::FrameStarted {
                fid,
                began: Began::Step { .. },
            }
            | Entry::FrameFulfilled { fid, .. }
            | Entry::FrameCompleted { fid, .. }
            | Entry::FrameFailed { fid, .. }
            | Entry::FrameDropped { fid } => {
                self.open.remove(fid);
            }
            _ => {}
        }
    }

    /// Returns 1 if a run that ends now sets a different timer, else 0.
    fn set(&mut self) -> u64 {
        let earliest = self.open.values().min().copied();
        let new = earliest.is_some() && earliest != self.timer;
        self.timer = earliest;
        u64::from(new)
    }
}
