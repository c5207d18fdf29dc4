//! One registered frame.

use std::sync::{Arc, Mutex};
use std::task::Waker;

use jiff::Timestamp;

use crate::domain::{Channel, Digest, ExecutionId, Failure, Json, Workflow};
use crate::sdk::{StepBody, StepOptions};

/// A step body that an attempt may run while the frame table holds it, too.
pub(super) type SharedStepBody = Arc<Mutex<StepBody>>;

/// One registered frame.
pub(super) struct Slot {
    /// Its number, in order of registration.
    pub(super) order: u32,
    /// What it is.
    pub(super) what: What,
    /// Whether cancellation passes it by.
    pub(super) shielded: bool,
    /// The newest waker of whoever polls it.
    pub(super) waker: Option<Waker>,
    /// What came for it and was not yielded yet.
    pub(super) outcome: Option<Outcome>,
    /// Nothing more is waited for: an outcome came, it yielded, or it was dropped.
    pub(super) dispatched: bool,
    /// Whether an entry of the journal named it.
    pub(super) known: bool,
}

/// What a frame is.
pub(super) enum What {
    /// A step.
    Step {
        /// Where its attempts stand.
        phase: Phase,
        /// How many attempts vanished.
        lost: u32,
        /// What it was asked to be.
        options: Arc<StepOptions>,
        /// Digest of a `call`'s input.
        input: Option<Digest>,
        /// Its work; gone with its outcome.
        step_body: Option<SharedStepBody>,
    },
    /// A wait for an instant.
    Sleep {
        /// Which.
        due: Timestamp,
    },
    /// A wait for a message.
    Receive {
        /// Where.
        channel: Channel,
        /// Until when.
        due: Option<Timestamp>,
        /// Whether its first poll found nothing, so that it waits.
        suspended: bool,
    },
    /// A child execution.
    Child {
        /// Its id.
        eid: ExecutionId,
        /// Its type.
        workflow: Workflow,
        /// Digest of its input.
        input: Digest,
        /// Whether the frame waits for the result.
        waits: bool,
    },
    /// A recorded value: `now`, `uuid`, `random`.
    Recorded,
    /// A message to another execution.
    Sent {
        /// To whom.
        to: ExecutionId,
        /// Where.
        channel: Channel,
    },
    /// A word to the feed.
    Announced {
        /// Which.
        kind: Channel,
    },
}

/// Where the attempts of a step stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Phase {
    /// None was begun.
    Fresh,
    /// This one was begun; its end is not known.
    Started {
        /// 1, 2, ...
        attempt: u32,
    },
    /// This one failed; the next begins later.
    Backoff {
        /// The one that failed.
        attempt: u32,
        /// When the next one begins.
        due: Timestamp,
    },
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

impl What {
    /// The word for it in messages.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Step { .. } => "step",
            Self::Sleep { .. } => "sleep",
            Self::Receive { .. } => "receive",
            Self::Child { .. } => "child",
            Self::Recorded => "recorded value",
            Self::Sent { .. } => "message",
            Self::Announced { .. } => "announcement",
        }
    }

    /// What tells it from another of its kind under the same id, for messages.
    pub(super) fn detail(&self) -> String {
        match self {
            Self::Step { input, .. } => with_input(input.as_ref()),
            Self::Sleep { .. } | Self::Recorded => String::new(),
            Self::Receive { channel, due, .. } => on_channel(channel, due.is_some()),
            Self::Child {
                workflow,
                input,
                waits,
                ..
            } => of_workflow(workflow, input, *waits),
            Self::Sent { to, channel } => format!(" to {to} on {channel}"),
            Self::Announced { kind } => format!(" of {kind}"),
        }
    }
}

pub(super) fn with_input(input: Option<&Digest>) -> String {
    match input {
        Some(digest) => format!(" with input {}", digest.sha16()),
        None => " without input".into(),
    }
}

pub(super) fn on_channel(channel: &Channel, timed: bool) -> String {
    let timed = if timed { " with a time-out" } else { "" };
    format!(" on {channel}{timed}")
}

pub(super) fn of_workflow(workflow: &Workflow, input: &Digest, waits: bool) -> String {
    let spawned = if waits { "" } else { ", spawned" };
    format!(" of {workflow} with input {}{spawned}", input.sha16())
}
