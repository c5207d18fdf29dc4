//! Whether what a run was doing fits another revision.

use std::sync::Arc;

use super::error::RestoreError;
use crate::definition::NodeId;
use crate::frontier::{Activation, Join, Topology, Visits};

/// Checks that the target has all nodes of a frontier, and each join as the same kind of join.
pub(super) fn fit(
    source: &Topology,
    target: &Topology,
    frontier: &[Arc<Activation>],
    settled: &Visits,
) -> Result<(), RestoreError> {
    for activation in frontier {
        let node = &activation.node;
        exists(target, node)?;
        if source.join(node) != target.join(node) {
            return Err(RestoreError::JoinChanged { node: node.clone() });
        }
    }
    for node in settled.keys() {
        if !target.contains(node) || target.join(node) != Join::First {
            return Err(RestoreError::JoinChanged { node: node.clone() });
        }
    }
    Ok(())
}

/// Checks that the target has a node.
pub(super) fn exists(target: &Topology, node: &NodeId) -> Result<(), RestoreError> {
    if target.contains(node) {
        return Ok(());
    }
    Err(RestoreError::NodeGone { node: node.clone() })
}
