//! What a frame is to be, and where.

use std::time::Duration;

use jiff::Timestamp;

use crate::domain::{Channel, ExecutionId, FrameId, FrameName, Json, OnClose, Queue, Workflow};
use crate::sdk::{FrameError, StepBody, StepOptions};

/// Where a frame stands.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// Below this.
    pub(crate) parent: FrameId,
    /// Called this.
    pub(crate) name: FrameName,
    /// Told from its siblings by this, not by counting.
    pub(crate) key: Option<FrameName>,
    /// Whether cancellation passes it by.
    pub(crate) shielded: bool,
}

/// What a frame is to be.
pub(crate) enum Plan {
    /// A step.
    Step {
        /// Its work.
        step_body: StepBody,
        /// What it was asked to be.
        options: StepOptions,
        /// A `call`'s input.
        input: Option<Json>,
    },
    /// A wait of this length.
    Sleep(Duration),
    /// A wait for this instant.
    SleepUntil(Timestamp),
    /// A wait for a message.
    Receive {
        /// Where.
        channel: Channel,
        /// How long.
        timeout: Option<Duration>,
    },
    /// A child execution.
    Child {
        /// Its type.
        workflow: Workflow,
        /// The version asked for.
        version: Option<String>,
        /// Its queue, if not this execution's.
        queue: Option<Queue>,
        /// What happens to it when this execution ends first.
        on_close: OnClose,
        /// Its input.
        args: Json,
        /// Whether the frame waits for the result.
        waits: bool,
    },
    /// A message to another execution.
    Send {
        /// To whom.
        to: ExecutionId,
        /// Where.
        channel: Channel,
        /// The value.
        payload: Json,
    },
    /// A word to the feed.
    Announce {
        /// Which.
        kind: Channel,
        /// The value.
        value: Json,
    },
}

/// Why a frame did not come to be.
pub(crate) enum Refused {
    /// The workflow is told.
    Error(FrameError),
    /// The drive is over or about to be: the workflow is told nothing any more.
    Halted,
}

impl From<FrameError> for Refused {
    fn from(error: FrameError) -> Self {
        Self::Error(error)
    }
}
