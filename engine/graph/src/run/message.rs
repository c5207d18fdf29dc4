//! Messages to a run: control messages and decisions, and what became of them.

use millpond::client::Signal;
use serde::{Deserialize, Serialize};

use crate::machine::{Bound, Decision, Rejection};

/// The channel of control messages.
pub const CONTROL: &str = "graph.control";

/// A message that controls a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ControlMessage {
    /// Names the message, as `[A-Za-z0-9_-]{1,128}`: a message is taken once, and the run records
    /// its [`Reply`] under this id.
    pub id: String,
    /// What the run does.
    #[serde(flatten)]
    pub verb: Verb,
}

/// What a control message asks of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case")]
pub enum Verb {
    /// Begin nothing more; what runs comes to its end.
    Pause,
    /// Continue a paused or halted run.
    Resume {
        /// When it pauses again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bound: Option<Bound>,
    },
    /// Stop.
    Cancel {
        /// The sequence of the newest checkpoint that the sender saw; without it, any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fence: Option<u64>,
    },
}

impl ControlMessage {
    /// Returns the message as the engine sends it.
    pub fn signal(&self) -> Signal {
        Signal::on(CONTROL).value(self).key(&self.id)
    }
}

/// Returns the channel of the decision of an interaction.
#[must_use]
pub fn decision_channel(sequence: u64, generation: u64) -> String {
    format!("graph.{sequence}.{generation}")
}

/// Returns the decision of an interaction as the engine sends it. Of two decisions of one
/// generation, the first one that is sent is delivered.
pub fn decide(sequence: u64, generation: u64, decision: &Decision) -> Signal {
    let channel = decision_channel(sequence, generation);
    Signal::on(channel).value(decision).key("decision")
}

/// What became of a message. The run records it in its journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// It had its effect at this sequence, now or before.
    Accepted {
        /// The sequence.
        sequence: u64,
    },
    /// It had no effect.
    Refused {
        /// The name of the error.
        error: String,
        /// Why.
        message: String,
    },
}

impl Reply {
    pub(super) fn refused(rejection: &Rejection) -> Self {
        let error = match rejection {
            Rejection::StaleFence { .. } => "stale_fence",
            Rejection::Conflict { .. } => "conflict",
            Rejection::InvalidInput { .. } => "invalid_input",
            Rejection::Early { .. } | Rejection::Disallowed(_) => "execution",
        };
        Self::invalid(error, rejection.to_string())
    }

    pub(super) fn invalid(error: &str, message: String) -> Self {
        Self::Refused {
            error: error.to_owned(),
            message,
        }
    }
}
