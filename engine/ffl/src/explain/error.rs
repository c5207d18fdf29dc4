//! Why an execution cannot be explained.

use millpond::client::EngineError;
use millpond::domain::{ExecutionId, ValueError};

/// Why an execution cannot be explained.
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// The journal cannot be read, or there is no such execution.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The input is not JSON.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// The execution runs another program.
    #[error(
        "the execution runs another program than these texts: give the texts that it was started \
         with: eid={eid}, version={version}, program={program}"
    )]
    OtherProgram {
        /// The execution.
        eid: ExecutionId,
        /// What it runs.
        version: String,
        /// The digest of the given program.
        program: String,
    },
    /// The workflow refused its input before it began.
    #[error("the execution has no steps: its input was refused: eid={eid}")]
    NoSteps {
        /// The execution.
        eid: ExecutionId,
    },
}
