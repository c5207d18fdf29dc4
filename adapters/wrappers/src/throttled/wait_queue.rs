//! The waiting requests, and which of them is sent next.

use std::collections::BTreeMap;
use std::task::Waker;
use std::time::Duration;

use super::pace::Partition;
use super::{Limits, Standing};

/// The order in which requests are sent: by arrival plus the grace, then by the order of arrival.
pub(super) type Deadline = (Duration, u64);

/// By how much all other requests yield to later commits and renewals (T1).
const GRACE: Duration = Duration::from_secs(2);

/// If there are more partitions than this, those without requests are dropped.
const MOST_PARTITIONS: usize = 1_024;

/// The outcome of a request with respect to the pace.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    Served,
    /// Refused with `SlowDown`, with the delay that the store asks for.
    Refused(Duration),
    /// Neither: failed, without a reply, or dropped by its caller.
    Other,
}

/// Whether a request may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    /// It is in flight.
    Granted,
    /// Not before this instant, or before it is woken.
    Waits(Option<Duration>),
}

/// The wait queue of one bucket. All instants are by the monotonic clock.
#[derive(Debug)]
pub(super) struct WaitQueue {
    limits: Limits,
    next: u64,
    under_way: usize,
    waiting: usize,
    partitions: BTreeMap<String, Row>,
    slow_downs: u64,
    kept_back: u64,
}

#[derive(Debug, Default)]
struct Row {
    partition: Partition,
    waiting: BTreeMap<Deadline, Option<Waker>>,
}

/// The wakers to call once the queue is no longer locked.
#[derive(Debug, Default)]
#[must_use]
pub(super) struct Woken(Vec<Waker>);

impl Woken {
    pub(super) fn wake(self) {
        self.0.into_iter().for_each(Waker::wake);
    }
}

impl WaitQueue {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            next: 0,
            under_way: 0,
            waiting: 0,
            partitions: BTreeMap::new(),
            slow_downs: 0,
            kept_back: 0,
        }
    }

    /// Adds a request that arrives `now`. An urgent one overtakes others that arrived up to a grace
    /// before.
    pub(super) fn enter(&mut self, name: &str, urgent: bool, now: Duration) -> Deadline {
        if self.partitions.len() > MOST_PARTITIONS {
            self.partitions
                .retain(|_, row| !row.waiting.is_empty() || !row.partition.is_idle(now));
        }
        self.next += 1;
        let grace = if urgent { Duration::ZERO } else { GRACE };
        let deadline = (now + grace, self.next);
        if !self.partitions.contains_key(name) {
            self.partitions.insert(name.to_owned(), Row::default());
        }
        if let Some(row) = self.partitions.get_mut(name) {
            row.waiting.insert(deadline, None);
            self.waiting += 1;
        }
        deadline
    }

    /// Sends the requests that may be sent, and returns whether this one is among them.
    pub(super) fn admit(
        &mut self,
        name: &str,
        deadline: Deadline,
        now: Duration,
        waker: &Waker,
    ) -> (Admission, Woken) {
        let woken = self.send(now);
        let Some(row) = self.partitions.get_mut(name) else {
            return (Admission::Granted, woken);
        };
        let Some(waits) = row.waiting.get_mut(&deadline) else {
            return (Admission::Granted, woken);
        };
        *waits = Some(waker.clone());
        // Only the first of a partition waits for the clock: it wakes the next when it is sent.
        let first = row.waiting.keys().next() == Some(&deadline);
        let opens = row.partition.opens();
        (
            Admission::Waits((first && opens > now).then_some(opens)),
            woken,
        )
    }

    /// When the partition accepts the next request.
    pub(super) fn opens(&self, name: &str) -> Duration {
        let row = self.partitions.get(name);
        row.map_or(Duration::ZERO, |row| row.partition.opens())
    }

    /// Removes a waiting request; `false` if it is already in flight.
    pub(super) fn leave(&mut self, name: &str, deadline: Deadline) -> (bool, Woken) {
        let Some(row) = self.partitions.get_mut(name) else {
            return (false, Woken::default());
        };
        if row.waiting.remove(&deadline).is_none() {
            return (false, Woken::default());
        }
        self.waiting -= 1;
        let first = row.waiting.values().next().cloned().flatten();
        (true, Woken(first.into_iter().collect()))
    }

    /// Removes a waiting request, and counts it as kept back.
    pub(super) fn keep_back(&mut self, name: &str, deadline: Deadline) -> (bool, Woken) {
        let (left, woken) = self.leave(name, deadline);
        self.kept_back += u64::from(left);
        (left, woken)
    }

    /// Records the end of a request that was sent at `sent`.
    pub(super) fn end(&mut self, name: &str, sent: Duration, now: Duration, end: End) -> Woken {
        self.under_way -= 1;
        if let Some(row) = self.partitions.get_mut(name) {
            row.partition.under_way -= 1;
            match end {
                End::Served => row.partition.served(&self.limits, now),
                End::Refused(wait) => {
                    self.slow_downs += 1;
                    row.partition.refused(&self.limits, sent, now, wait);
                }
                End::Other => {}
            }
        }
        self.send(now)
    }

    pub(super) fn standing(&self) -> Standing {
        let rows = self.partitions.values();
        Standing {
            under_way: self.under_way,
            waiting: self.waiting,
            slowed: rows.filter(|row| row.partition.pace.is_some()).count(),
            slow_downs: self.slow_downs,
            kept_back: self.kept_back,
        }
    }

    /// Sends as many requests as permitted (T1, T2).
    fn send(&mut self, now: Duration) -> Woken {
        let mut woken = Vec::new();
        while self.waiting > 0 && self.under_way < self.limits.under_way.max(1) {
            let limits = &self.limits;
            let open = self.partitions.values_mut().filter(|row| {
                !row.waiting.is_empty()
                    && row.partition.opens() <= now
                    && row.partition.has_room(limits)
            });
            let Some(row) = open.min_by_key(|row| row.waiting.keys().next().copied()) else {
                break;
            };
            if let Some((_, waker)) = row.waiting.pop_first() {
                woken.extend(waker);
            }
            woken.extend(row.waiting.values().next().cloned().flatten());
            row.partition.sent(now);
            self.waiting -= 1;
            self.under_way += 1;
        }
        Woken(woken)
    }
}
