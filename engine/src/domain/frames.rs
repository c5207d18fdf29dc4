//! What entries say about frames: the work that began, and the condition that is waited for.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Channel, Digest, ExecutionId, Failure, OnClose, Payload, Queue, Workflow};

/// The work that began under a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Began {
    /// An attempt of a step. This entry precedes every effect of the attempt.
    Step {
        /// The number of the attempt, from 1.
        attempt: u32,
        /// The digest of a `call`'s input.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Digest>,
    },
    /// A child execution.
    Child {
        /// The id of the child.
        eid: ExecutionId,
        /// The workflow type of the child.
        workflow: Workflow,
        /// The version of the workflow, decided when the child began.
        version: String,
        /// The queue of the child.
        queue: Queue,
        /// The input of the child.
        args: Payload,
        /// The digest of the input's canonical form.
        input: Digest,
        /// True if the frame waits for the result.
        waits: bool,
        /// The action taken on the child if this execution ends first.
        on_close: OnClose,
    },
}

/// The condition that a frame waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wait {
    /// A sleep.
    Sleep {
        /// The instant of its end.
        due: Timestamp,
    },
    /// A message.
    Message {
        /// The channel.
        channel: Channel,
        /// The deadline; none if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        due: Option<Timestamp>,
    },
    /// The next attempt of a step.
    Retry {
        /// The attempt that failed.
        attempt: u32,
        /// The instant at which the next attempt begins.
        due: Timestamp,
        /// The failure of that attempt.
        failure: Failure,
        /// Whether the attempt vanished with its worker, which has a separate limit.
        #[serde(default, skip_serializing_if = "Lost::is_no")]
        lost: Lost,
    },
}

/// Whether an attempt vanished with its worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lost(pub bool);

impl Lost {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    fn is_no(&self) -> bool {
        !self.0
    }
}
