//! Where a statement or block runs.

use std::fmt;
use std::sync::Arc;

/// The scope of a statement or block: what its frames are named under.
///
/// `b{i}` is block `i` of a body, `e{n}` an element of a list, `c{n}` a case, `k` and `k{n}` a catch
/// and its cases, `m-{alias}` a sub-step of a mixin; the rest are names of steps.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    path: Arc<str>,
    depth: u32,
}

impl Place {
    /// The workflow.
    pub(super) fn root() -> Self {
        Self {
            path: "".into(),
            depth: 0,
        }
    }

    /// A scope in this one, in the same body.
    pub(super) fn scope(&self, name: impl fmt::Display) -> Self {
        let path = match self.path.is_empty() {
            true => name.to_string(),
            false => format!("{}/{name}", self.path),
        };
        Self {
            path: path.into(),
            depth: self.depth,
        }
    }

    /// The scope of a step in this block.
    pub(super) fn step(&self, name: impl fmt::Display) -> Self {
        let mut place = self.scope(name);
        place.depth += 1;
        place
    }

    /// The names from the outermost to the innermost, joined by `/`; empty for the workflow.
    pub(crate) fn path(&self) -> &Arc<str> {
        &self.path
    }

    /// The number of bodies around it.
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }
}
