//! The gate at which every request of every process waits until the scheduler releases it.
//!
//! A request is data: it takes effect when the scheduler decides, even if the caller no longer
//! exists. This is how a write lands after its process died.

use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures::FutureExt as _;

use super::chronicle::{Chronicle, Landed};
use super::op::{Course, Described, Op, Reply};
use crate::keys::{Key, Prefix};
use crate::ports::{Bucket, BucketError, Clock, Expect, Object, Outcome, Page};
use crate::testing::{ManualClock, MemoryBucket};

/// The number of requests printed for a failing seed.
const LOG: usize = 120;

#[derive(Debug)]
pub(super) struct Gate {
    pub(super) memory: Arc<MemoryBucket>,
    chronicle: Arc<Chronicle>,
    time: Arc<ManualClock>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    parked: BTreeMap<u64, Parked>,
    log: VecDeque<String>,
    requests: u64,
}

#[derive(Debug)]
struct Parked {
    who: String,
    op: Op,
    /// Not released before this time.
    hold: Duration,
    waker: Option<Waker>,
    reply: Option<Reply>,
    /// The reply is under way.
    answered: bool,
    /// No caller waits for it any more.
    orphan: bool,
    /// The scheduler has not decided yet if it takes effect nevertheless.
    undecided: bool,
}

impl Gate {
    pub(super) fn new(
        memory: Arc<MemoryBucket>,
        chronicle: Arc<Chronicle>,
        time: Arc<ManualClock>,
    ) -> Self {
        Self {
            memory,
            chronicle,
            time,
            state: Mutex::default(),
        }
    }

    /// The requests that may be released now.
    pub(super) fn ready(&self) -> Vec<u64> {
        let now = self.time.monotonic();
        let state = self.lock();
        let ready = state.parked.iter().filter(|(_, parked)| parked.hold <= now);
        ready.map(|(ticket, _)| *ticket).collect()
    }

    /// The time at which the next held request may be released.
    pub(super) fn next_hold(&self) -> Option<Duration> {
        let now = self.time.monotonic();
        let state = self.lock();
        let holds = state.parked.values().map(|parked| parked.hold);
        holds
            .filter(|hold| *hold > now && *hold < Duration::MAX)
            .min()
    }

    /// Ends all holds.
    pub(super) fn let_all_go(&self) {
        let mut state = self.lock();
        let held = state.parked.values_mut();
        for parked in held.filter(|parked| parked.hold < Duration::MAX) {
            parked.hold = Duration::ZERO;
        }
    }

    /// The number of requests released so far.
    pub(super) fn requests(&self) -> u64 {
        self.lock().requests
    }

    pub(super) fn log(&self) -> Vec<String> {
        self.lock().log.iter().cloned().collect()
    }

    /// Adds a line to the log of requests.
    pub(super) fn note(&self, line: impl std::fmt::Display) {
        let at = self.time.monotonic();
        let mut state = self.lock();
        if state.log.len() >= LOG {
            state.log.pop_front();
        }
        let line = format!("{:>11.3}s {line}", at.as_secs_f64());
        state.log.push_back(line);
    }

    /// A request without a caller may still be under way: `lands` returns the time at which it
    /// lands, if it ever does.
    pub(super) fn decide(&self, lands: impl Fn() -> Option<Duration>) {
        self.lock().parked.retain(|_, parked| {
            if !std::mem::take(&mut parked.undecided) {
                return true;
            }
            let hold = lands();
            parked.hold = hold.unwrap_or_default();
            hold.is_some()
        });
    }

    /// Releases one request with its course.
    pub(super) fn let_go(&self, ticket: u64, course: Course) {
        let Some((who, op, orphan, answered)) = self.look(ticket) else {
            return;
        };
        self.note(format!(
            "{who:<8} {op} {}",
            Described(course, answered, orphan)
        ));
        if orphan {
            self.lock().parked.remove(&ticket);
            let _nobody_listens = self.perform(op);
            return;
        }
        if answered {
            self.answer(ticket, None);
            return;
        }
        match course {
            Course::Slow(until) => self.hold(ticket, until),
            Course::Land => {
                let reply = self.perform(op);
                self.answer(ticket, Some(reply));
            }
            Course::NotSent => self.answer(ticket, Some(op.error())),
            Course::ReplyLost => {
                let lost = op.lost();
                let _lost = self.perform(op);
                self.answer(ticket, Some(lost));
            }
            Course::Late(until) => {
                let lost = op.lost();
                if matches!(op, Op::Write(..) | Op::Delete(_)) {
                    let late = self.park(who, op);
                    let mut state = self.lock();
                    if let Some(late) = state.parked.get_mut(&late) {
                        (late.orphan, late.hold) = (true, until);
                    }
                }
                self.answer(ticket, Some(lost));
            }
            Course::SlowReply(until) => {
                let reply = self.perform(op);
                let mut state = self.lock();
                if let Some(parked) = state.parked.get_mut(&ticket) {
                    parked.reply = Some(reply);
                    (parked.answered, parked.hold) = (true, until);
                }
            }
        }
    }

    fn look(&self, ticket: u64) -> Option<(String, Op, bool, bool)> {
        let mut state = self.lock();
        state.requests += 1;
        let parked = state.parked.get(&ticket)?;
        Some((
            parked.who.clone(),
            parked.op.clone(),
            parked.orphan,
            parked.answered,
        ))
    }

    fn hold(&self, ticket: u64, until: Duration) {
        if let Some(parked) = self.lock().parked.get_mut(&ticket) {
            parked.hold = until;
        }
    }

    fn park(&self, who: String, op: Op) -> u64 {
        let mut state = self.lock();
        state.next += 1;
        let ticket = state.next;
        let parked = Parked {
            who,
            op,
            hold: Duration::ZERO,
            waker: None,
            reply: None,
            answered: false,
            orphan: false,
            undecided: false,
        };
        state.parked.insert(ticket, parked);
        ticket
    }

    fn answer(&self, ticket: u64, reply: Option<Reply>) {
        let mut state = self.lock();
        let Some(parked) = state.parked.get_mut(&ticket) else {
            return;
        };
        parked.reply = reply.or(parked.reply.take());
        // The scheduler no longer chooses it.
        parked.hold = Duration::MAX;
        let waker = parked.waker.take();
        drop(state);
        waker.into_iter().for_each(Waker::wake);
    }

    fn perform(&self, op: Op) -> Reply {
        let now = |work: Option<Reply>| work.expect("a bucket in memory answers at once");
        let memory = &self.memory;
        match op {
            Op::Read(key) => now(memory.read(&key).map(Reply::Read).now_or_never()),
            Op::Delete(key) => now(memory.delete(&key).map(Reply::Delete).now_or_never()),
            Op::List(prefix, after, limit) => {
                let list = memory.list(&prefix, after.as_ref(), limit);
                now(list.map(Reply::List).now_or_never())
            }
            Op::Write(key, body, expect) => {
                let write = memory.write(&key, body.clone(), expect);
                let reply = now(write.map(Reply::Write).now_or_never());
                if matches!(reply, Reply::Write(Ok(Outcome::Landed(_)))) {
                    let at = self.time.monotonic();
                    let mut written = self.chronicle.open();
                    written.landed.push(Landed { key, body, at });
                }
                reply
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics between two changes of the state: a poisoned one is still consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The view that one process life has of the bucket.
#[derive(Debug)]
pub(super) struct GatedBucket {
    pub(super) gate: Arc<Gate>,
    pub(super) who: String,
}

/// A waiting request. If it is dropped before its release, it may still be under way.
struct Place<'a> {
    gate: &'a Gate,
    ticket: u64,
}

impl GatedBucket {
    async fn ask(&self, op: Op) -> Reply {
        let place = Place {
            gate: &self.gate,
            ticket: self.gate.park(self.who.clone(), op),
        };
        poll_fn(|cx| {
            let mut state = place.gate.lock();
            let Some(parked) = state.parked.get_mut(&place.ticket) else {
                return Poll::Pending;
            };
            if parked.hold == Duration::MAX
                && let Some(reply) = parked.reply.take()
            {
                return Poll::Ready(reply);
            }
            parked.waker = Some(cx.waker().clone());
            Poll::Pending
        })
        .await
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.gate.lock();
        let Some(parked) = state.parked.get_mut(&self.ticket) else {
            return;
        };
        let changes = matches!(parked.op, Op::Write(..) | Op::Delete(_));
        if changes && !parked.answered && parked.hold != Duration::MAX {
            (parked.orphan, parked.undecided) = (true, true);
            parked.waker = None;
        } else {
            state.parked.remove(&self.ticket);
        }
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Bucket for GatedBucket {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        match self.ask(Op::Read(key.clone())).await {
            Reply::Read(reply) => reply,
            other => unreachable!("a read was answered {other:?}"),
        }
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        match self.ask(Op::Write(key.clone(), body, expect)).await {
            Reply::Write(reply) => reply,
            other => unreachable!("a write was answered {other:?}"),
        }
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        match self.ask(Op::Delete(key.clone())).await {
            Reply::Delete(reply) => reply,
            other => unreachable!("a delete was answered {other:?}"),
        }
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        let op = Op::List(prefix.clone(), after.cloned(), limit);
        match self.ask(op).await {
            Reply::List(reply) => reply,
            other => unreachable!("a list was answered {other:?}"),
        }
    }
}
