//! What people see of a run. The run records it in its journal whenever it changes, because the
//! state of a run is not in the bucket.

use millpond::client::{Engine, EngineError, Frame};
use millpond::domain::ExecutionId;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::message::Reply;
use crate::definition::{Definition, Kind, NodeId, Schema};
use crate::frontier::ActivationId;
use crate::machine::{Admission, Checkpoint, InteractionKind, Open};
use crate::program::Begin;

/// The name of the frames that hold snapshots; their key is the sequence.
pub(super) const SNAPSHOT: &str = "snapshot";
/// The name of the frames that hold replies; their key is the id of the message.
pub(super) const REPLY: &str = "reply";

/// What people see of a run that has not ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The sequence of its checkpoint.
    pub sequence: u64,
    /// `running`, `paused`, `halted` or `cancelling`.
    pub status: String,
    /// What the run asks for, in order of the frontier.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interactions: Vec<Asked>,
    /// The action that halted the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halted: Option<Halted>,
}

/// What a run asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// The sequence of the interaction: its fence.
    pub sequence: u64,
    /// The generation.
    pub generation: u64,
    /// `input` or `unknown`.
    pub kind: String,
    /// The node.
    pub node: NodeId,
    /// The activation.
    pub activation: ActivationId,
    /// When it was asked, in milliseconds since 1970.
    pub asked_at: u64,
    /// The deadline of the activation, in milliseconds since 1970.
    pub deadline: u64,
    /// A decision can be taken now.
    pub actionable: bool,
    /// The text that a person reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The schema of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Schema>,
    /// The attempt whose outcome is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u64>,
    /// A retry of it cannot repeat the effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_safe: Option<bool>,
}

/// The action that halted a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Halted {
    /// The node.
    pub node: NodeId,
    /// Its result.
    pub result: Value,
}

impl Snapshot {
    pub(super) fn of(checkpoint: &Checkpoint, definition: &Definition) -> Self {
        let halted = match &checkpoint.admission {
            Admission::Halted { node, result } => Some(Halted {
                node: node.clone(),
                result: (**result).clone(),
            }),
            Admission::Background | Admission::Prepared => None,
        };
        Self {
            sequence: checkpoint.sequence,
            status: checkpoint.status().name().to_owned(),
            interactions: asked(checkpoint, definition),
            halted,
        }
    }

    /// Returns whether people see the same.
    pub(super) fn shows(&self, other: &Self) -> bool {
        let same = self.status == other.status && self.interactions == other.interactions;
        same && self.halted == other.halted
    }

    /// What people see of a run that has just begun.
    pub(super) fn begun() -> Self {
        Self {
            sequence: 0,
            status: "running".to_owned(),
            interactions: Vec::new(),
            halted: None,
        }
    }
}

fn asked(checkpoint: &Checkpoint, definition: &Definition) -> Vec<Asked> {
    let mut all = Vec::new();
    for interaction in checkpoint.interactions() {
        let mut controls = checkpoint.controls.values();
        let Some(control) = controls.find(|it| it.sequence == interaction.sequence) else {
            continue;
        };
        let message = match &*control.given {
            Begin::Input(message) => Some(message.clone()),
            _ => None,
        };
        let schema = match &definition.nodes[&interaction.node].kind {
            Kind::Input(ask) => ask.schema.clone(),
            _ => None,
        };
        let attempt = match &control.open {
            Open::Attempt(attempt) => Some(attempt.number),
            _ => None,
        };
        let (kind, retry_safe) = match interaction.kind {
            InteractionKind::Input => ("input", None),
            InteractionKind::Inputs => ("inputs", None),
            InteractionKind::Notification => ("notification", None),
            InteractionKind::Unknown { retry_safe } => ("unknown", Some(retry_safe)),
        };
        all.push(Asked {
            sequence: interaction.sequence,
            generation: interaction.generation,
            kind: kind.to_owned(),
            node: interaction.node,
            activation: interaction.activation,
            asked_at: interaction.asked_at,
            deadline: interaction.deadline,
            actionable: interaction.actionable,
            message,
            schema,
            attempt,
            retry_safe,
        });
    }
    all
}

/// Returns the last snapshot that a run has committed; nothing if it never showed anything but
/// `running`. Reads what [`Engine::frames`] reads, and 1 G for a snapshot over 32 KiB.
///
/// # Errors
/// As [`Engine::frames`].
pub async fn snapshot(engine: &Engine, run: ExecutionId) -> Result<Option<Snapshot>, EngineError> {
    let root = engine.frames(run).await?;
    let mut last: Option<(u64, &Frame)> = None;
    for frame in &root.frames {
        let Some(key) = keyed(frame, SNAPSHOT).and_then(|key| key.parse().ok()) else {
            continue;
        };
        if frame.value.is_some() && last.is_none_or(|(known, _)| known < key) {
            last = Some((key, frame));
        }
    }
    match last {
        Some((_, frame)) => value(engine, run, frame).await,
        None => Ok(None),
    }
}

/// Returns what became of a control message, or of a decision (under `SEQUENCE-GENERATION`) that was
/// refused; nothing if the run has not taken it. Reads what [`Engine::frames`] reads.
///
/// # Errors
/// As [`Engine::frames`].
pub async fn reply(
    engine: &Engine,
    run: ExecutionId,
    id: &str,
) -> Result<Option<Reply>, EngineError> {
    let root = engine.frames(run).await?;
    let mut frames = root.frames.iter();
    match frames.find(|frame| keyed(frame, REPLY) == Some(id)) {
        Some(frame) => value(engine, run, frame).await,
        None => Ok(None),
    }
}

/// Returns the key of a frame of the run itself.
fn keyed<'a>(frame: &'a Frame, name: &str) -> Option<&'a str> {
    let rest = frame.fid.as_str().strip_prefix("root/")?;
    rest.strip_prefix(name)?.strip_prefix(':')
}

async fn value<T: DeserializeOwned>(
    engine: &Engine,
    run: ExecutionId,
    frame: &Frame,
) -> Result<Option<T>, EngineError> {
    match &frame.value {
        Some(payload) => Ok(engine.value(&run, payload).await?.get().ok()),
        None => Ok(None),
    }
}
