//! What a definition may use and a run does not have yet. It is refused when the definition is
//! added, before anything runs.

use crate::definition::{Definition, History, Init, Kind, Map, Name, NodeId, RunsAs};

/// A part of a definition that runs do not have yet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a node uses what runs do not have yet; remove it from the definition: node={node}, part={part}"
)]
pub struct Unsupported {
    /// The node.
    pub node: NodeId,
    /// The part.
    pub part: &'static str,
}

/// Refuses the first node that uses what runs do not have yet.
///
/// # Errors
/// [`Unsupported`] with the node and the part.
pub(super) fn unsupported(definition: &Definition) -> Result<(), Unsupported> {
    for (node, spec) in &definition.nodes {
        if let Some(part) = part(&spec.kind) {
            return Err(Unsupported {
                node: node.clone(),
                part,
            });
        }
    }
    Ok(())
}

fn part(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::Agent(_) => Some("agent"),
        Kind::Action(action) if action.run == RunsAs::Task => Some("run: task"),
        Kind::Action(action) if action.reconcile.is_some() => Some("reconcile"),
        Kind::Action(action) => inputs(&action.inputs),
        Kind::Child(child) => inputs(&child.inputs)
            .or(init(child.init.as_ref()))
            .or(history(child.history)),
        Kind::Map(Map::Over(over)) => inputs(&over.inputs)
            .or(init(over.init.as_ref()))
            .or(history(over.history)),
        Kind::Pipeline(line) => line
            .children
            .iter()
            .find_map(|stage| inputs(&stage.inputs).or(history(stage.history))),
        // The tasks of a list are values: each is looked at when the node begins.
        Kind::Map(Map::Tasks(_)) => None,
        Kind::State(_) | Kind::Input(_) | Kind::Sleep(_) | Kind::JoinAll | Kind::JoinFirst => None,
    }
}

fn inputs(names: &[Name]) -> Option<&'static str> {
    (!names.is_empty()).then_some("inputs")
}

fn init(init: Option<&Init>) -> Option<&'static str> {
    init.map(|_| "init")
}

fn history(history: History) -> Option<&'static str> {
    (history == History::DeleteAfterReduction).then_some("history: delete_after_reduction")
}
