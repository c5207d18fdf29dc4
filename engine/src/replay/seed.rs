//! What a drive starts from.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::version::Versions;
use crate::domain::{Depth, ExecutionId, FrameId, Json, Queue, Workflow};
use crate::ports::Entropy;

/// What a drive starts from.
#[derive(Debug)]
pub(crate) struct Seed {
    pub(crate) eid: ExecutionId,
    /// Its generation, of which the ids of its children are.
    pub(crate) generation: u32,
    /// Its queue, which is the default queue of its children.
    pub(crate) queue: Queue,
    /// How far it is below the root of its tree.
    pub(crate) depth: Depth,
    /// The input of the workflow.
    pub(crate) args: Json,
    /// The source of fresh uuids and random numbers.
    pub(crate) entropy: Arc<dyn Entropy>,
    /// The recorded values of the journal. Plain calls cannot wait for their entries, so all of
    /// them are read beforehand.
    pub(crate) recorded: BTreeMap<FrameId, Json>,
    /// The queues that a child may be on; any queue if it is empty.
    pub(crate) queues: BTreeSet<Queue>,
    /// The children that the journal has started on another queue than this execution's.
    pub(crate) elsewhere: BTreeSet<FrameId>,
    pub(crate) limits: Limits,
    pub(crate) versions: Versions,
    /// Decides the version of a child.
    pub(crate) code: Code,
}

/// Limits of an execution.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Largest value, in bytes.
    pub(crate) max_value: usize,
    /// Largest number of frames.
    pub(crate) max_frames: u32,
}

/// Decides the version of a child, from its workflow and the version that was asked for. `None`
/// if this application has no such workflow; then the version asked for counts, or else an empty
/// one.
#[derive(Clone)]
pub(crate) struct Code(Arc<CodeFn>);

type CodeFn = dyn Fn(&Workflow, &Option<String>) -> Option<String> + Send + Sync;

impl Code {
    /// A decision by `function`.
    pub(crate) fn new(
        function: impl Fn(&Workflow, &Option<String>) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(function))
    }

    /// The version a child gets.
    pub(super) fn version(&self, workflow: &Workflow, asked: Option<String>) -> String {
        (self.0)(workflow, &asked).or(asked).unwrap_or_default()
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code(..)")
    }
}
