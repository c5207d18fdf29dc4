//! The transitions by name, and from where each is permitted.

use std::fmt;

use super::checkpoint::{Admission, Checkpoint, Phase};

/// A transition of a run. Each makes one checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Transition {
    /// A control begins, or the evidence of its attempt grows.
    Park,
    /// A notification is asked, a decision takes its course, or something is asked again.
    Settlement,
    /// Outcomes are staged; their controls end.
    Stage,
    /// A decision is applied and its activation staged.
    Resolve,
    /// The wait for the next attempt begins.
    Retry,
    /// The next attempt begins as a new control.
    RetryReady,
    /// A failure stops the run.
    Failing,
    /// What is staged is reduced into the state.
    Barrier,
    /// Edges are evaluated; the next frontier is active.
    Routed,
    /// The run is paused.
    Paused,
    /// The run continues.
    Resumed,
    /// An action halts the run.
    Halted,
    /// A cancel stops the run, or is recorded while it fails.
    CancelIntent,
    /// A control of a stopping run ends without an outcome.
    AttemptSettled,
    /// The run succeeded.
    Succeeded,
    /// The run failed.
    Failed,
    /// The run was cancelled.
    Cancelled,
    /// A failed run continues with its complete outcomes.
    FailedRetry,
}

impl Transition {
    /// All transitions.
    pub const ALL: [Self; 18] = [
        Self::Park,
        Self::Settlement,
        Self::Stage,
        Self::Resolve,
        Self::Retry,
        Self::RetryReady,
        Self::Failing,
        Self::Barrier,
        Self::Routed,
        Self::Paused,
        Self::Resumed,
        Self::Halted,
        Self::CancelIntent,
        Self::AttemptSettled,
        Self::Succeeded,
        Self::Failed,
        Self::Cancelled,
        Self::FailedRetry,
    ];

    /// Returns the name, as the history shows it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Park => "park",
            Self::Settlement => "settlement",
            Self::Stage => "stage",
            Self::Resolve => "resolve",
            Self::Retry => "retry",
            Self::RetryReady => "retry_ready",
            Self::Failing => "failing",
            Self::Barrier => "barrier",
            Self::Routed => "routed",
            Self::Paused => "paused",
            Self::Resumed => "resumed",
            Self::Halted => "halted",
            Self::CancelIntent => "cancel_intent",
            Self::AttemptSettled => "attempt_settled",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::FailedRetry => "failed_retry",
        }
    }

    /// Returns whether the transition is permitted from a checkpoint.
    #[must_use]
    pub fn permitted(self, from: &Checkpoint) -> bool {
        let phase = &from.phase;
        let (active, routing) = (
            *phase == Phase::Active,
            matches!(phase, Phase::Routing { .. }),
        );
        let (stopping, terminal) = (phase.is_stopping(), phase.is_terminal());
        let background = from.admission == Admission::Background;
        let open = !from.controls.is_empty();
        match self {
            Self::Park | Self::Resolve => active || (stopping && open),
            Self::Settlement => !terminal && open,
            Self::Stage => active || matches!(phase, Phase::Failing { .. }),
            Self::Retry => active && open,
            Self::RetryReady => active && open && background,
            Self::Failing => active || routing,
            Self::Barrier => active && background && !open,
            Self::Routed => routing && background,
            Self::Paused => !stopping && !terminal && background,
            Self::Resumed => !stopping && !terminal && !background,
            Self::Halted => routing && background,
            Self::CancelIntent => !terminal && phase.cancel().is_none(),
            Self::AttemptSettled => stopping && open,
            Self::Succeeded => active && background && from.frontier.is_empty(),
            Self::Failed => matches!(phase, Phase::Failing { .. }) && !open,
            Self::Cancelled => matches!(phase, Phase::Cancelling { .. }) && !open,
            Self::FailedRetry => match phase {
                Phase::Failed { failure, cancel } => failure.ordinal.is_some() && cancel.is_none(),
                _ => false,
            },
        }
    }
}

impl fmt::Display for Transition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A transition that its row does not permit: a bug of the caller, and nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "transition refused: {reason}; end the run as an `execution` failure: \
     transition={transition}, sequence={sequence}"
)]
pub struct Disallowed {
    /// The transition.
    pub transition: Transition,
    /// The sequence of the checkpoint, which stays.
    pub sequence: u64,
    /// Why it is not permitted.
    pub reason: &'static str,
}
