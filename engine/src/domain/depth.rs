//! How far an execution is below the root of its tree.

use serde::{Deserialize, Serialize};

/// The level of an execution in its tree, and the lowest level that the tree may have.
///
/// The tree takes its bound from the settings of the process that starts the root. It is kept in
/// each record, so the decision about a child is the same in every replay, whatever the settings
/// are by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Depth {
    /// The number of executions above this one.
    pub level: u32,
    /// The largest level in this tree.
    pub max: u32,
}

impl Default for Depth {
    fn default() -> Self {
        Self::root(64)
    }
}

impl Depth {
    /// The depth of a root whose tree has `max` levels below it.
    #[must_use]
    pub const fn root(max: u32) -> Self {
        Self { level: 0, max }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the depth of a child.
    #[must_use]
    pub const fn child(self) -> Self {
        Self {
            level: self.level.saturating_add(1),
            ..self
        }
    }

    /// Returns whether a child would be too deep.
    #[must_use]
    pub const fn is_max(self) -> bool {
        self.level >= self.max
    }
}
