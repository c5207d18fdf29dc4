//! What the machine is given, and what it gives back.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rules::Complete;
use super::settlement::Resolution;
use super::show::KindOfCheckpoint;
use super::transition::{Disallowed, Transition};
use crate::Category;
use crate::definition::NodeId;
use crate::frontier::ActivationId;

/// What happened outside. A control is named by its sequence.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The work of a control ended on its own.
    Ended {
        /// The control.
        control: u64,
        /// How it ended.
        ending: Ending,
    },
    /// In a stopping run: a control ended by the stop, with proof.
    Stopped {
        /// The control.
        control: u64,
    },
    /// The runner of an agent, or the handler that reconciles an action, reports.
    Notice {
        /// The control.
        control: u64,
        /// What it reports.
        notice: Notice,
    },
    /// An attempt that is made at most once was lost with its worker.
    Lost {
        /// The control.
        control: u64,
    },
    /// The sealed values of a resolution are gone.
    InputsLost {
        /// The control.
        control: u64,
    },
    /// The message in the place of a decision cannot be used, and no other one comes for this
    /// generation.
    Unusable {
        /// The control.
        control: u64,
    },
    /// A person or a program decides an interaction.
    Resolve(Resolution),
    /// The run is to be paused.
    Pause,
    /// The run is to continue.
    Resume(Option<Bound>),
    /// The run is to be cancelled, with the newest sequence that the caller saw.
    Cancel(Option<u64>),
    /// A hook failed, a limit was exceeded, or the caller found a bug.
    Fail {
        /// What kind of failure it is.
        category: Category,
        /// What happened.
        message: String,
        /// The ready activation that it belongs to, if there is one; it may have ended.
        activation: Option<ActivationId>,
    },
    /// A failed run is to be retried, with the sequence that the caller saw.
    Retried(Option<u64>),
}

/// How the work of a control ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// With contributions and a result.
    Complete(Complete),
    /// With a failure.
    Failed {
        /// What kind of failure it is.
        category: Category,
        /// What happened.
        message: String,
        /// The policy of the node may follow it with another attempt.
        retryable: bool,
    },
}

/// What a runner reports of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub enum Notice {
    /// The conversation exists.
    Dispatched(String),
    /// The agent of this conversation asks.
    Asks(String, Value),
    /// The answer to the open question reached the agent.
    Delivered,
    /// Whether the answer to the open question reached the agent is not known.
    Uncertain,
    /// The outcome is not known; the identity, if the conversation was created.
    Unknown(Option<String>),
    /// The abort is proven.
    Aborted,
    /// Whether the abort had an effect is not known.
    AbortUnknown,
    /// The reconcile handler found no effect.
    Absent,
}

/// When a run pauses again after a resume.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// After that many supersteps.
    Supersteps(NonZeroU64),
    /// When a new frontier has this node.
    Before(NodeId),
}

/// What the caller does for a transition.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Begins the work of a control.
    Begin {
        /// The activation.
        activation: ActivationId,
        /// The control.
        control: u64,
    },
    /// Asks for a decision.
    Ask {
        /// The control.
        control: u64,
        /// The generation.
        generation: u64,
    },
    /// Passes an answer on to the agent.
    Pass {
        /// The control.
        control: u64,
        /// The generation of the question.
        generation: u64,
        /// The answer.
        value: Value,
    },
    /// Requests the abort of an agent's attempt.
    Abort {
        /// The control.
        control: u64,
    },
    /// Cancels the children of a control, which then ends by [`Event::Stopped`] or [`Event::Ended`].
    CancelChildren {
        /// The control.
        control: u64,
    },
    /// Ends a sleep, or a wait for a decision or for the next attempt.
    Close {
        /// The control.
        control: u64,
    },
    /// Reports to the caller of a resolution that it was refused.
    Refuse {
        /// Why.
        reason: String,
    },
}

/// One transition.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its name.
    pub transition: Transition,
    /// The sequence of its checkpoint.
    pub sequence: u64,
    /// The kind of its checkpoint.
    pub kind: KindOfCheckpoint,
    /// What the caller does.
    pub commands: Vec<Command>,
}

/// What became of an event.
#[derive(Debug, Clone, PartialEq)]
pub enum Handled {
    /// It made a transition.
    Moved(Step),
    /// It had its effect before, at this sequence.
    Already {
        /// The sequence.
        sequence: u64,
    },
    /// The same decision is intended, and the agent has not confirmed it.
    Intended,
    /// It waits until the open question of the agent is settled.
    Held,
    /// It came after its control had ended, and counts for nothing.
    Late,
}

/// Why an event was rejected. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The caller acted on an old checkpoint.
    #[error(
        "stale fence: the run has moved on; read it again and decide again: \
         expected={expected}, found={found}"
    )]
    StaleFence {
        /// What was sent.
        expected: u64,
        /// What is present.
        found: u64,
    },
    /// The run is not in a state that permits it.
    #[error("conflict: {reason}: sequence={sequence}")]
    Conflict {
        /// Why.
        reason: &'static str,
        /// The present sequence.
        sequence: u64,
    },
    /// The value is not valid.
    #[error("invalid input: {reason}; send a valid value")]
    InvalidInput {
        /// The first violation.
        reason: String,
    },
    /// A bug of the caller: what follows without an event comes first.
    #[error("event too early: advance until nothing follows, then handle it: sequence={sequence}")]
    Early {
        /// The present sequence.
        sequence: u64,
    },
    /// A bug of the caller.
    #[error(transparent)]
    Disallowed(#[from] Disallowed),
}
