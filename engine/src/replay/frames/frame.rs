//! What every kind of frame implements: a plan that becomes a frame, and the frame itself.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use jiff::Timestamp;

use super::FrameKind;
use super::step::{SharedStepBody, Step};
use crate::domain::{
    Channel, Depth, Entry, ExecutionId, Failure, FrameId, Json, MessageId, Queue, Workflow,
};
use crate::replay::Code;
use crate::replay::FrameError;

/// What the workflow asks for. It becomes a frame when it is first polled.
pub(crate) trait Plan {
    /// The value that leaves the workflow with it: it has a maximum size.
    fn value(&self) -> Option<&Json> {
        None
    }

    /// The queue that it names, if it is a child.
    fn queue(&self) -> Option<&Queue> {
        None
    }

    /// The frame, and the entry it begins with. Steps and receives have none: a step begins
    /// with its first attempt, a receive when its first poll finds no message.
    fn begin(self, site: &Site<'_>) -> Result<Begun, FrameError>;
}

/// A frame, and the entry it begins with.
pub(crate) type Begun = (Box<dyn Frame>, Option<Entry>);

/// Where and when a frame begins.
pub(crate) struct Site<'a> {
    /// The frame's id.
    pub(crate) fid: &'a FrameId,
    pub(crate) eid: ExecutionId,
    /// The execution's generation.
    pub(crate) generation: u32,
    /// The execution's queue.
    pub(crate) queue: &'a Queue,
    pub(crate) depth: Depth,
    /// Decides the version of a child.
    pub(crate) code: &'a Code,
    /// The instant that deadlines count from.
    pub(crate) now: Timestamp,
}

impl Site<'_> {
    /// The instant after `wait`, at most the end of time. No error: a replay begins later than the
    /// first run, and must register the same frame.
    pub(super) fn after(&self, wait: Duration) -> Timestamp {
        self.now.checked_add(wait).unwrap_or(Timestamp::MAX)
    }
}

/// A registered frame.
pub(crate) trait Frame: Send {
    fn kind(&self) -> FrameKind;

    /// The kind, in messages.
    fn word(&self) -> &'static str;

    /// What distinguishes it from another of its kind under the same id, in messages.
    fn detail(&self) -> String {
        String::new()
    }

    /// Whether an outcome comes for it.
    fn waits(&self) -> bool;

    /// When it is over, or goes on, without an outcome from elsewhere.
    fn due(&self) -> Option<Timestamp> {
        None
    }

    /// What a journal entry about this frame means to it. `value` is the entry's value, loaded
    /// if it is a blob; it is `None` only for an entry that has no value to deliver.
    fn accept(&mut self, entry: &Entry, value: Option<Json>) -> Accepted;

    /// Whether it waits for the result of this child, as it ended in this generation.
    fn awaits(&self, _child: &ExecutionId, _generation: u32) -> bool {
        false
    }

    /// The child execution that it is, and its workflow.
    fn child(&self) -> Option<(ExecutionId, &Workflow)> {
        None
    }

    /// The channel it waits on.
    fn channel(&self) -> Option<&Channel> {
        None
    }

    /// A poll that found no outcome: takes a message out of `inbox`, or begins to wait.
    fn poll(&mut self, _fid: &FrameId, _inbox: &mut Inbox) -> Polled {
        Polled::default()
    }

    /// The step, whose attempts run outside of the workflow.
    fn step(&self) -> Option<&Step> {
        None
    }

    /// Begins again, in a later generation, if it is a step that has begun. Its next attempt is due at
    /// once; `same_key` says whether it has the idempotency key of those before.
    fn again(&mut self, _generation: u32, _same_key: bool, _now: Timestamp) {}

    /// Gives up the user code it holds.
    fn release(&mut self) -> Option<SharedStepBody> {
        None
    }
}

/// What an entry means to the frame it is about.
pub(crate) enum Accepted {
    /// It fits, and the workflow must have decided the same.
    Decided,
    /// It fits, and the workflow does not notice it.
    Noted,
    /// It brings the outcome.
    Outcome(Outcome),
    /// It is about another frame than this one.
    Misfit,
}

impl Accepted {
    /// The outcome of an entry that has a value. A value that was not loaded is a misfit.
    pub(super) fn value(value: Option<Json>) -> Self {
        value.map_or(Self::Misfit, |value| Self::Outcome(Outcome::Value(value)))
    }
}

/// What comes for a frame.
#[derive(Debug, Clone)]
pub(crate) enum Outcome {
    /// The value of a step or a child, or a message.
    Value(Json),
    /// A step or a child failed.
    Failed(Failure),
    /// The instant came.
    Elapsed,
    /// The execution was asked to stop.
    Cancelled,
}

/// Messages that no receive has consumed.
pub(crate) type Inbox = BTreeMap<Channel, VecDeque<(MessageId, Json)>>;

/// What a poll found, and what it decided.
#[derive(Default)]
pub(crate) struct Polled {
    pub(crate) outcome: Option<Outcome>,
    pub(crate) entry: Option<Entry>,
}
