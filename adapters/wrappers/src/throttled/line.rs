//! Those who wait, and who goes next.

use std::collections::BTreeMap;
use std::task::Waker;
use std::time::Duration;

use super::pace::Partition;
use super::{Limits, Rank, Standing};

/// When one may go before all with a later turn: instant of coming plus grace, then order of
/// coming.
pub(super) type Turn = (Duration, u64);

/// Partitions that nobody asks for are forgotten when there are more than so many.
const MOST_PARTITIONS: usize = 1_024;

/// How a request ended, as far as the pace is concerned.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    Served,
    /// Sent away, with what the store asks to wait.
    Refused(Duration),
    /// Neither: failed, without an answer, or nobody waited for it.
    Other,
}

/// What becomes of one who asks whether it may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// It is under way.
    Go,
    /// Not before this instant, or before it is woken.
    Not(Option<Duration>),
}

/// The line of one bucket. All instants are by the monotonic clock.
#[derive(Debug)]
pub(super) struct Line {
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
    waiting: BTreeMap<Turn, Option<Waker>>,
}

/// Who is to be woken, once the line is no longer locked.
#[derive(Debug, Default)]
#[must_use]
pub(super) struct Woken(Vec<Waker>);

impl Woken {
    pub(super) fn wake(self) {
        self.0.into_iter().for_each(Waker::wake);
    }
}

impl Line {
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

    /// One comes.
    pub(super) fn enter(&mut self, name: &str, rank: Rank, now: Duration) -> Turn {
        if self.partitions.len() > MOST_PARTITIONS {
            self.partitions
                .retain(|_, row| !row.waiting.is_empty() || !row.partition.is_idle(now));
        }
        self.next += 1;
        let turn = (now + rank.grace(), self.next);
        if !self.partitions.contains_key(name) {
            self.partitions.insert(name.to_owned(), Row::default());
        }
        if let Some(row) = self.partitions.get_mut(name) {
            row.waiting.insert(turn, None);
            self.waiting += 1;
        }
        turn
    }

    /// One asks whether it may go.
    pub(super) fn ask(
        &mut self,
        name: &str,
        turn: Turn,
        now: Duration,
        waker: &Waker,
    ) -> (Word, Woken) {
        let woken = self.send(now);
        let Some(row) = self.partitions.get_mut(name) else {
            return (Word::Go, woken);
        };
        let Some(place) = row.waiting.get_mut(&turn) else {
            return (Word::Go, woken);
        };
        *place = Some(waker.clone());
        // Only the first of a partition looks at the clock: it wakes the next when it goes.
        let first = row.waiting.keys().next() == Some(&turn);
        let opens = row.partition.opens();
        (Word::Not((first && opens > now).then_some(opens)), woken)
    }

    /// When the partition may be asked again.
    pub(super) fn opens(&self, name: &str) -> Duration {
        let row = self.partitions.get(name);
        row.map_or(Duration::ZERO, |row| row.partition.opens())
    }

    /// One that waited goes without having been sent; `false` if it is under way already.
    pub(super) fn leave(&mut self, name: &str, turn: Turn) -> (bool, Woken) {
        let Some(row) = self.partitions.get_mut(name) else {
            return (false, Woken::default());
        };
        if row.waiting.remove(&turn).is_none() {
            return (false, Woken::default());
        }
        self.waiting -= 1;
        let first = row.waiting.values().next().cloned().flatten();
        (true, Woken(first.into_iter().collect()))
    }

    /// One is kept back: it leaves, and is counted.
    pub(super) fn keep_back(&mut self, name: &str, turn: Turn) -> (bool, Woken) {
        let (left, woken) = self.leave(name, turn);
        self.kept_back += u64::from(left);
        (left, woken)
    }

    /// One that was sent at `sent` has ended.
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

    /// Sends as many as may go (T1, T2).
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
