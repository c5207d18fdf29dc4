//! What a drive starts from.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::domain::{ExecutionId, FrameId, Json, Queue, Workflow};
use crate::ports::Entropy;

/// What a drive starts from.
#[derive(Debug)]
pub(crate) struct Seed {
    /// The execution.
    pub(crate) eid: ExecutionId,
    /// Its queue: where its children go, unless told otherwise.
    pub(crate) queue: Queue,
    /// Its input.
    pub(crate) args: Json,
    /// Where fresh uuids and random numbers come from.
    pub(crate) entropy: Arc<dyn Entropy>,
    /// The values of `now`, `uuid` and `random` that the journal holds already. Plain calls
    /// cannot wait for their entry, so they must be known beforehand.
    pub(crate) recorded: BTreeMap<FrameId, Json>,
    /// Its bounds.
    pub(crate) limits: Limits,
    /// Decides the version of a child.
    pub(crate) code: Code,
}

/// Bounds of an execution.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Largest value, in bytes.
    pub(crate) max_value: usize,
    /// Most frames.
    pub(crate) max_frames: u32,
}

/// Decides the version of a child: of the workflow, with the version that was asked for. `None`
/// when this application does not have it; then what was asked for stands, or empty text.
#[derive(Clone)]
pub(crate) struct Code(Arc<CodeFn>);

type CodeFn = dyn Fn(&Workflow, &Option<String>) -> Option<String> + Send + Sync;

impl Code {
    /// Decides by `function`.
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
