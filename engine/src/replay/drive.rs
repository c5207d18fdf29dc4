//! The driver: entries in, decisions out. Only the driver polls the workflow.

use std::sync::Arc;
use std::task::{Poll, Waker};

use futures::future::BoxFuture;
use jiff::Timestamp;

use super::flag::Flag;
use super::panic::{Panic, catch};
use super::shown::Observer;
use super::table::Table;
use super::trouble::{Position, Trouble};
use super::{Limits, Seed};
use crate::domain::{Body, Entry, Failure, FrameId, Json, kind};

/// Polls without a registration, a yield or a drop before a workflow is taken to spin.
const IDLE_POLLS: u32 = 1_000;

const FOREIGN_WAKE: &str = "the workflow was woken by something that is not a frame: put I/O, \
    timers, channels and tasks into a step, wait with `ctx.sleep` and `ctx.receive`";
const NOT_RETURNED: &str = "the workflow called `continue_as_new` and returned something else: \
    return what that call returns";
const FOREIGN_WAIT: &str = "the workflow waits, but for none of its frames: put I/O, timers, \
    channels and tasks into a step, wait with `ctx.sleep` and `ctx.receive`";

/// The driver of one execution.
pub(crate) struct Drive {
    pub(super) table: Table,
    pub(super) limits: Limits,
    flag: Arc<Flag>,
    waker: Waker,
    root: Option<Root>,
    done: Option<Result<Json, Failure>>,
    /// The panic of the code that reads the input.
    panic: Option<Panic>,
    started: bool,
}

pub(crate) type Root = BoxFuture<'static, Result<Json, Failure>>;

/// The state of the workflow after an activation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Activation {
    /// It waits for the frames that [`Drive::open`] returns.
    Waits,
    /// It ended. Every later activation returns the same.
    Ready(Result<Json, Failure>),
}

impl Drive {
    /// `begin` makes the workflow's future from its frame table and its input. The first activation
    /// after `execution.started`, or `execution.continued`, polls it.
    pub(crate) fn new(
        seed: Seed,
        begin: impl FnOnce(Table, &Json) -> Result<Root, Failure>,
    ) -> Self {
        let flag = Flag::new();
        let (limits, args) = (seed.limits, seed.args.clone());
        let table = Table::new(seed, Arc::clone(&flag));
        // The input's own `Deserialize` runs here; it may panic.
        let (root, done, panic) = match catch(|| begin(table.clone(), &args)) {
            Ok(Ok(root)) => (Some(root), None, None),
            Ok(Err(failure)) => (None, Some(Err(failure)), None),
            Err(panic) => (None, None, Some(panic)),
        };
        Self {
            waker: flag.waker(),
            table,
            limits,
            flag,
            root,
            done,
            panic,
            started: false,
        }
    }

    /// Sets the instant that deadlines count from and `ctx.now()` returns.
    pub(crate) fn set_now(&mut self, at: Timestamp) {
        self.table.lock().now = at;
    }

    /// Polls the workflow until it is no longer woken.
    pub(crate) fn activate(&mut self) -> Result<Activation, Trouble> {
        if !self.started {
            return Ok(Activation::Waits);
        }
        if let Some(panic) = &self.panic {
            return Err(panic.clone().into());
        }
        if self.done.is_none() {
            let flag = Arc::clone(&self.flag);
            match flag.within(|| self.polls()) {
                Ok(done) => self.done = done,
                Err(trouble) => {
                    // The activation did not come to its end: another build may decide otherwise in it.
                    self.table.lock().decided.clear();
                    return Err(trouble);
                }
            }
        }
        if self.flag.is_foreign() {
            return Err(foreign(FOREIGN_WAKE));
        }
        match &self.done {
            Some(done) => Ok(Activation::Ready(done.clone())),
            None if self.table.lock().open.is_empty() => Err(foreign(FOREIGN_WAIT)),
            None => Ok(Activation::Waits),
        }
    }

    fn polls(&mut self) -> Result<Option<Result<Json, Failure>>, Trouble> {
        let (mut idle, mut before) = (0, self.table.lock().progress);
        while self.flag.take_woken() {
            let Some(outcome) = self.poll_once()? else {
                let now = self.table.lock().progress;
                idle = if now == before { idle + 1 } else { 0 };
                before = now;
                if idle >= IDLE_POLLS {
                    return Err(Trouble::Spins);
                }
                continue;
            };
            self.check_continuation(&outcome)?;
            self.table.lock().ended = Some(end_of(&outcome));
            self.drop_root();
            return Ok(Some(outcome));
        }
        Ok(None)
    }

    /// A continuation that the workflow does not return would be lost.
    fn check_continuation(&self, outcome: &Result<Json, Failure>) -> Result<(), Trouble> {
        if self.table.lock().continuation.is_none() || is_continuation(outcome) {
            return Ok(());
        }
        Err(Trouble::Panicked {
            message: NOT_RETURNED.to_owned(),
            location: "Context::continue_as_new".to_owned(),
        })
    }

    /// Returns the input of the next generation, if the workflow has ended this one.
    pub(crate) fn continuation(&self) -> Option<Json> {
        let done = self.done.as_ref().filter(|done| is_continuation(done));
        done.and_then(|_| self.table.lock().continuation.clone())
    }

    /// A panic in a destructor of the workflow must not end the worker.
    fn drop_root(&mut self) {
        let root = self.root.take();
        let _ = catch(|| drop(root));
    }

    fn poll_once(&mut self) -> Result<Option<Result<Json, Failure>>, Trouble> {
        let Some(root) = self.root.as_mut() else {
            return Ok(None);
        };
        let mut cx = std::task::Context::from_waker(&self.waker);
        let polled = catch(|| root.as_mut().poll(&mut cx));
        let mut state = self.table.lock();
        if let Some(invalid) = state.invalid.take() {
            return Err(invalid);
        }
        if state.overflow {
            let max = self.limits.max_frames;
            return Ok(Some(Err(Failure::new(
                kind::HISTORY_TOO_LONG,
                format!("more than {max} frames: split the work over child executions"),
            ))));
        }
        Ok(match polled? {
            Poll::Pending => None,
            Poll::Ready(Ok(value)) => Some(self.limits.check(value)),
            Poll::Ready(Err(failure)) => Some(Err(failure)),
        })
    }

    /// Delivers one journal entry, or one live outcome that was just appended, to the
    /// workflow. `value` is its payload when that is a blob. The caller runs an activation after each.
    pub(crate) fn deliver(
        &mut self,
        at: Position,
        entry: &Entry,
        value: Option<Json>,
    ) -> Result<(), Trouble> {
        self.started |= matches!(entry, Entry::Started | Entry::Continued { .. });
        let table = &self.table;
        self.flag
            .within(|| table.change(|state, loose| state.deliver(at, entry, value, loose)))
    }

    /// Delivers a fact of a part that a retry has made void.
    pub(crate) fn deliver_fact(
        &mut self,
        at: Position,
        entry: &Entry,
        value: Option<Json>,
    ) -> Result<(), Trouble> {
        let table = &self.table;
        self.flag
            .within(|| table.change(|state, loose| state.deliver_fact(at, entry, value, loose)))
    }

    /// Returns whether the entry is a result that no open frame waits for. It is not delivered.
    pub(crate) fn is_undelivered(&self, entry: &Entry) -> bool {
        match entry {
            Entry::Received {
                body:
                    Body::Child {
                        fid,
                        eid,
                        generation,
                        ..
                    },
                ..
            } => !self.table.lock().awaits(fid, eid, *generation),
            _ => false,
        }
    }

    /// Compares the number of frames registered so far with that of a replayed commit.
    pub(crate) fn check_frames(&mut self, at: Position, frames: u32) -> Result<(), Trouble> {
        self.table.lock().check_frames(at, frames)
    }

    /// Hands the states that the workflow shows to `observer`.
    pub(crate) fn observe(&mut self, observer: Observer) {
        self.table.observe(observer);
    }

    /// The journal has ended: recorded values are drawn anew from here on.
    pub(crate) fn go_live(&mut self) {
        self.table.lock().recorded.clear();
    }

    /// Frames registered so far.
    pub(crate) fn frames(&self) -> u32 {
        self.table.lock().frames()
    }

    /// What the workflow decided and no entry has matched yet, in order.
    pub(crate) fn take_entries(&mut self) -> Vec<Entry> {
        self.table.lock().decided.drain(..).collect()
    }

    /// Frames dropped since the last call: their running step bodies are to be aborted.
    pub(crate) fn take_dropped(&mut self) -> Vec<FrameId> {
        std::mem::take(&mut self.table.lock().dropped)
    }

    /// Whether the execution was asked to stop.
    pub(crate) fn cancelled(&self) -> bool {
        self.table.is_cancelled()
    }
}

impl Drop for Drive {
    fn drop(&mut self) {
        // First, so that dropping the workflow below records no dropped frames.
        self.table.close();
        self.drop_root();
    }
}

impl std::fmt::Debug for Drive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Drive")
            .field("eid", &self.table.eid())
            .field("frames", &self.frames())
            .field("done", &self.done)
            .finish_non_exhaustive()
    }
}

fn foreign(message: &str) -> Trouble {
    Trouble::ForeignAwait {
        message: message.into(),
    }
}

fn is_continuation(outcome: &Result<Json, Failure>) -> bool {
    matches!(outcome, Err(failure) if failure.kind == kind::CONTINUED)
}

/// How a workflow ended, for the error of a journal that goes on.
fn end_of(outcome: &Result<Json, Failure>) -> String {
    match outcome {
        Ok(_) => "the workflow returned".to_owned(),
        Err(failure) => format!("the workflow ended with {failure}"),
    }
}
