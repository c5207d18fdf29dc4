//! What the activations of a run have begun, as its journal shows it.

use millpond::client::{Engine, EngineError, Frame, FrameKind, FrameStatus};
use millpond::domain::{ExecutionId, Failure, Payload, kind};
use serde::Serialize;

use crate::definition::NodeId;
use crate::frontier::ActivationId;
use crate::machine::Decision;

/// An activation that has begun an attempt, a wait or children. State nodes, joins and empty lists
/// are computed: they begin nothing, and the journal does not contain them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Activity {
    /// The activation.
    pub activation: ActivationId,
    /// Its node.
    pub node: NodeId,
    /// The state of what it has begun.
    pub status: ActivityStatus,
    /// How many attempts of an action have begun. Repetitions of an attempt that was lost with its
    /// worker are not counted.
    pub attempts: usize,
    /// Why its last attempt or a child has failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The runs of its children that have begun, in order of their beginning.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<ExecutionId>,
}

/// The state of what an activation has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActivityStatus {
    /// It ended with a value. The run may still refuse that value: its failure names the node.
    Completed,
    /// The run ended it: it stopped, or the deadline of the node passed.
    Stopped,
    /// It waits for a person or for an instant.
    Waiting,
    /// An attempt or a child executes.
    Running,
    /// The last attempt or a child has failed. Another attempt may follow.
    Failed,
}

impl ActivityStatus {
    /// The name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Stopped => "stopped",
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Failed => "failed",
        }
    }
}

/// Returns what the activations of a run have begun, in order of (superstep, node, rank). Reads what
/// [`Engine::frames`] reads.
///
/// # Errors
/// As [`Engine::frames`].
pub async fn activities(engine: &Engine, run: ExecutionId) -> Result<Vec<Activity>, EngineError> {
    let root = engine.frames(run).await?;
    let supersteps = root.frames.iter().filter(|frame| is_scope(frame));
    let mut all: Vec<Activity> = supersteps
        .flat_map(|superstep| {
            superstep
                .frames
                .iter()
                .filter_map(|frame| of(superstep, frame))
        })
        .collect();
    all.sort_by_cached_key(|one| {
        let id = one.activation;
        (id.superstep, one.node.clone(), id.rank)
    });
    Ok(all)
}

fn is_scope(frame: &Frame) -> bool {
    frame.kind == FrameKind::Scope
}

/// The activation of a scope `s{superstep}/{node}-{rank}`.
fn of(superstep: &Frame, scope: &Frame) -> Option<Activity> {
    let number = last(superstep).strip_prefix('s')?.parse().ok()?;
    let (node, rank) = last(scope).rsplit_once('-')?;
    let parts = parts(scope);
    let failed = parts.iter().rev().find(|part| fails(part));
    let status = status(&parts);
    Some(Activity {
        activation: ActivationId {
            superstep: number,
            rank: rank.parse().ok()?,
        },
        node: node.parse().ok()?,
        status,
        attempts: parts
            .iter()
            .filter(|part| part.kind == FrameKind::Step)
            .count(),
        failure: failed
            .filter(|_| status == ActivityStatus::Failed)
            .and_then(|part| failure(part)),
        children: parts.iter().filter_map(|part| part.child).collect(),
    })
}

/// The last name of an id.
fn last(frame: &Frame) -> &str {
    let id = frame.fid.as_str();
    id.rsplit('/').next().unwrap_or(id)
}

/// The attempts, waits and children of an activation, in order of their beginning.
fn parts(scope: &Frame) -> Vec<&Frame> {
    let below = |frame| match is_scope(frame) {
        true => parts(frame),
        false => vec![frame],
    };
    let all = scope.frames.iter().flat_map(below);
    all.filter(|frame| match frame.kind {
        FrameKind::Step | FrameKind::Receive | FrameKind::Sleep | FrameKind::Child => true,
        FrameKind::Workflow
        | FrameKind::Scope
        | FrameKind::Send
        | FrameKind::Announce
        | FrameKind::Recorded => false,
    })
    .collect()
}

fn status(parts: &[&Frame]) -> ActivityStatus {
    let open = |part: &&&Frame| matches!(part.status, FrameStatus::Running | FrameStatus::Waiting);
    let works = |part: &Frame| matches!(part.kind, FrameKind::Step | FrameKind::Child);
    let mut waits = parts.iter().filter(open).peekable();
    if waits.peek().is_some() {
        return match waits.any(|part| works(part)) {
            true => ActivityStatus::Running,
            false => ActivityStatus::Waiting,
        };
    }
    let failed_child = parts
        .iter()
        .any(|part| part.kind == FrameKind::Child && fails(part));
    match parts.last() {
        Some(part) if failed_child || fails(part) => ActivityStatus::Failed,
        Some(part) if part.status == FrameStatus::Completed => ActivityStatus::Completed,
        _ => ActivityStatus::Stopped,
    }
}

/// Returns whether a frame has failed. A child that its parent has cancelled has not.
fn fails(frame: &Frame) -> bool {
    let cancelled = |failure: &Failure| failure.kind == kind::CANCELLED;
    failure(frame).is_some() && !frame.failure.as_ref().is_some_and(cancelled)
}

/// Why a frame has failed: by itself, or by the decision that it received.
fn failure(frame: &Frame) -> Option<String> {
    if let Some(failure) = &frame.failure {
        return Some(failure.to_string());
    }
    match (frame.kind, &frame.value) {
        (FrameKind::Receive, Some(Payload::Inline(json))) => match json.get() {
            Ok(Decision::Fail { message }) => Some(message),
            _ => None,
        },
        _ => None,
    }
}
