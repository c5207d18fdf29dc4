//! What a diagram shows of a run.

use std::collections::BTreeMap;

use crate::definition::NodeId;
use crate::run::{Activity, ActivityStatus};

/// The states of nodes in a run. A diagram without marks shows a definition only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks(BTreeMap<NodeId, Mark>);

/// The state of one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) status: ActivityStatus,
    activations: usize,
}

impl Marks {
    /// Marks each node that has activities. Of several states, it has the last one in the order of
    /// [`ActivityStatus`].
    #[must_use]
    pub fn of(activities: &[Activity]) -> Self {
        let mut marks: BTreeMap<NodeId, Mark> = BTreeMap::new();
        for one in activities {
            let mark = marks.entry(one.node.clone()).or_insert(Mark {
                status: one.status,
                activations: 0,
            });
            mark.status = mark.status.max(one.status);
            mark.activations += 1;
        }
        Self(marks)
    }

    pub(super) fn get(&self, node: &NodeId) -> Option<Mark> {
        self.0.get(node).copied()
    }
}

impl Mark {
    /// The line below the kind of the node.
    pub(super) fn text(self) -> String {
        let name = self.status.name();
        match self.activations {
            1 => name.to_owned(),
            several => format!("{name}, {several} activations"),
        }
    }

    /// Fill color, as `#rrggbb`.
    pub(super) const fn color(self) -> &'static str {
        match self.status {
            ActivityStatus::Completed => "#d1e7dd",
            ActivityStatus::Stopped => "#e2e3e5",
            ActivityStatus::Waiting => "#fff3cd",
            ActivityStatus::Running => "#cfe2ff",
            ActivityStatus::Failed => "#f8d7da",
        }
    }
}
