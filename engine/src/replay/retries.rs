//! A replay passes the beginning of a generation that a retry began.

use std::collections::BTreeMap;
use std::task::{Poll, Waker};

use super::table::{Loose, State, Table};
use super::trouble::{Position, Trouble};
use crate::domain::{Entry, FrameId, Json, Retried};

/// The retries that a replay has passed.
#[derive(Default)]
pub(super) struct Retries {
    count: u32,
    newest: Option<Retry>,
    /// Those of the workflow that wait for the next one.
    wakers: Vec<Waker>,
}

/// What a replay remembers of the retry that began the newest generation.
struct Retry {
    retried: Retried,
    /// The number of frames that were registered before it.
    kept: u32,
    /// The steps that begin again, and whether their idempotency keys stay.
    again: BTreeMap<FrameId, bool>,
}

impl Table {
    /// Waits for the next retry. `seen` is the number of retries when the wait began.
    pub(crate) fn poll_retried(&self, seen: &mut Option<u32>, waker: &Waker) -> Poll<Retried> {
        self.change(|state, _| {
            let retries = &mut state.retries;
            let seen = *seen.get_or_insert(retries.count);
            match &retries.newest {
                Some(newest) if retries.count > seen => Poll::Ready(newest.retried.clone()),
                _ => {
                    retries.wakers.push(waker.clone());
                    Poll::Pending
                }
            }
        })
    }
}

impl Retries {
    /// Takes out what holds user code.
    pub(super) fn loosen(&mut self, loose: &mut Loose) {
        loose.wakers.append(&mut self.wakers);
    }
}

impl State {
    /// Begins the generation: what begins from here on is of it, and some steps begin again.
    pub(super) fn retry(&mut self, retried: &Retried, loose: &mut Loose) {
        self.generation = retried.generation;
        let again = retried.again.iter();
        let retry = Retry {
            retried: retried.clone(),
            kept: self.frames(),
            again: again
                .map(|again| (again.fid.clone(), again.same_key))
                .collect(),
        };
        for fid in retry.again.keys() {
            self.begin_again(&retry, fid);
        }
        self.retries.count += 1;
        self.retries.newest = Some(retry);
        loose.wake.append(&mut self.retries.wakers);
    }

    /// Takes in a fact of the void part. Those about frames that were not registered before the retry
    /// mean nothing.
    pub(super) fn deliver_fact(
        &mut self,
        at: Position,
        entry: &Entry,
        value: Option<Json>,
        loose: &mut Loose,
    ) -> Result<(), Trouble> {
        let Some(retry) = self.retries.newest.take() else {
            return self.deliver(at, entry, value, loose);
        };
        let slot = entry.fid().map(|fid| self.slots.get(fid));
        let kept = slot.is_none_or(|slot| slot.is_some_and(|slot| slot.order < retry.kept));
        let delivered = match kept {
            true => self.deliver(at, entry, value, loose),
            false => Ok(()),
        };
        // An attempt of a step that begins again: it does so after this one.
        if let Some(fid) = entry.fid() {
            self.begin_again(&retry, fid);
        }
        self.retries.newest = Some(retry);
        delivered
    }

    fn begin_again(&mut self, retry: &Retry, fid: &FrameId) {
        let (generation, now) = (self.generation, self.now);
        if let (Some(same_key), Some(slot)) = (retry.again.get(fid), self.slots.get_mut(fid)) {
            slot.frame.again(generation, *same_key, now);
        }
    }
}
