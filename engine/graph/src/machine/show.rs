//! What a checkpoint is shown as: status, kind, interactions.

use super::attempt::{Abort, Evidence, Role};
use super::checkpoint::{Admission, Checkpoint, Phase};
use super::control::Open;
use super::transition::Transition;
use crate::definition::NodeId;
use crate::frontier::ActivationId;

/// The status of a run, as shown to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It runs, or waits, or stops because of a failure.
    Running,
    /// It is paused, and no work is open.
    Paused,
    /// An action halted it, and no work is open.
    Halted,
    /// A cancel stops it.
    Cancelling,
    /// It succeeded.
    Succeeded,
    /// It failed.
    Failed,
    /// It was cancelled.
    Cancelled,
}

impl Status {
    /// Returns the name, as people read it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Halted => "halted",
            Self::Cancelling => "cancelling",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The kind of a checkpoint in the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KindOfCheckpoint {
    /// The admission.
    Initial,
    /// It holds a failure with an ordinal that the checkpoint before did not hold. Its status in
    /// the history is `failed`.
    Failed {
        /// The node.
        node: Option<NodeId>,
        /// The ordinal.
        ordinal: u64,
    },
    /// The run has ended.
    Terminal,
    /// A barrier. Only here does the history show outcomes.
    Action,
    /// Any other.
    Control,
}

pub(super) fn kind(
    checkpoint: &Checkpoint,
    transition: Transition,
    fresh: Option<(Option<NodeId>, u64)>,
) -> KindOfCheckpoint {
    match fresh {
        _ if checkpoint.sequence == 0 => KindOfCheckpoint::Initial,
        Some((node, ordinal)) => KindOfCheckpoint::Failed { node, ordinal },
        None if checkpoint.phase.is_terminal() => KindOfCheckpoint::Terminal,
        None if transition == Transition::Barrier => KindOfCheckpoint::Action,
        None => KindOfCheckpoint::Control,
    }
}

/// What a run asks for from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interaction {
    /// The sequence of its control.
    pub sequence: u64,
    /// The generation.
    pub generation: u64,
    /// What it asks for.
    pub kind: InteractionKind,
    /// The node.
    pub node: NodeId,
    /// The activation.
    pub activation: ActivationId,
    /// When it was asked, in milliseconds.
    pub asked_at: u64,
    /// The deadline of the activation, in milliseconds.
    pub deadline: u64,
    /// A decision can be taken now.
    pub actionable: bool,
}

/// What an interaction asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InteractionKind {
    /// The answer to an `input` node.
    Input,
    /// Sealed values.
    Inputs,
    /// The answer to an agent's question.
    Notification,
    /// What became of an effect.
    Unknown {
        /// A retry cannot repeat the effect.
        retry_safe: bool,
    },
}

impl Checkpoint {
    /// Returns the status, as shown to people.
    #[must_use]
    pub fn status(&self) -> Status {
        match &self.phase {
            Phase::Failing { .. } => return Status::Running,
            Phase::Cancelling { .. } => return Status::Cancelling,
            Phase::Succeeded => return Status::Succeeded,
            Phase::Failed { .. } => return Status::Failed,
            Phase::Cancelled { .. } => return Status::Cancelled,
            Phase::Active | Phase::Routing { .. } => {}
        }
        let works = self.controls.values().any(super::control::Control::works);
        match &self.admission {
            Admission::Prepared if !works => Status::Paused,
            Admission::Halted { .. } if !works => Status::Halted,
            _ => Status::Running,
        }
    }

    /// Returns what the run asks for, in order of the frontier.
    #[must_use]
    pub fn interactions(&self) -> Vec<Interaction> {
        if self.phase.is_terminal() {
            return Vec::new();
        }
        let stopping = self.phase.is_stopping();
        let mut shown = Vec::new();
        for (slot, control) in &self.controls {
            let (kind, actionable) = match &control.open {
                Open::Input => (InteractionKind::Input, true),
                Open::Inputs(_) => (InteractionKind::Inputs, true),
                Open::Attempt(attempt) => match attempt.evidence {
                    Evidence::Waiting { .. } => (InteractionKind::Notification, true),
                    Evidence::Unknown { .. } => {
                        let retry_safe = !stopping && attempt.retry_safe();
                        let settled =
                            attempt.role != Role::Agent || attempt.abort == Abort::Unknown;
                        let kind = InteractionKind::Unknown { retry_safe };
                        (kind, !stopping || settled)
                    }
                    _ => continue,
                },
                Open::Sleep | Open::Children => continue,
            };
            let Some(asked) = control.asked else { continue };
            if stopping && !matches!(kind, InteractionKind::Unknown { .. }) {
                continue;
            }
            // A decision that is intended is not taken again.
            let decided = self.settlements.get(control.sequence, asked.generation);
            shown.push(Interaction {
                sequence: control.sequence,
                generation: asked.generation,
                kind,
                node: self.frontier[*slot].node.clone(),
                activation: self.frontier[*slot].id,
                asked_at: asked.at,
                deadline: control.deadline,
                actionable: actionable && decided.is_none(),
            });
        }
        shown
    }
}
