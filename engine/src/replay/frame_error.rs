//! Errors of frames.

use crate::domain::{Failure, FrameId, InvalidName, Queue, ValueError, Workflow, kind};

/// Why a frame (a step, a wait, a child, a message to send) gave no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The step failed: its retries are used up, or the failure is terminal.
    #[error("step failed: fid={fid}: {failure}")]
    StepFailed {
        /// The frame.
        fid: FrameId,
        /// Why.
        failure: Failure,
    },
    /// The child execution failed, or was cancelled or terminated.
    #[error("child failed: fid={fid}: {failure}")]
    ChildFailed {
        /// The frame.
        fid: FrameId,
        /// Why.
        failure: Failure,
    },
    /// The execution was asked to stop. Clean-up goes on under
    /// [`Context::shielded`](crate::Context::shielded).
    #[error("cancelled: fid={fid}")]
    Cancelled {
        /// The frame.
        fid: FrameId,
    },
    /// A value cannot be stored.
    #[error("value of frame {frame}: {source}")]
    Value {
        /// The frame id, or its name if the frame was never registered.
        frame: String,
        /// Why.
        source: ValueError,
    },
    /// A value is larger than the maximum.
    #[error("value of frame {frame} is too large: bytes={bytes} max={max}")]
    PayloadTooLarge {
        /// The name of the frame, which was never registered.
        frame: String,
        /// The value's size.
        bytes: usize,
        /// The maximum.
        max: usize,
    },
    /// The child would be too far below the root of its tree; it was never registered.
    #[error("child is too deep below the root of its tree: workflow={workflow} max={max}")]
    TooDeep {
        /// The workflow of the child.
        workflow: Workflow,
        /// The largest level in this tree.
        max: u32,
    },
    /// No worker of the deployment serves the queue of the child, which was not started.
    #[error("no worker of this deployment serves the queue of the child: fid={fid} queue={queue}")]
    UnknownQueue {
        /// The frame.
        fid: FrameId,
        /// The queue.
        queue: Queue,
    },
    /// A name or key is invalid; the frame was never registered.
    #[error(transparent)]
    InvalidName(#[from] InvalidName),
    /// The key was used before under this parent; the second frame was never registered.
    #[error("frame key used twice: fid={fid}")]
    Duplicate {
        /// The frame that has the key.
        fid: FrameId,
    },
    /// The context was used outside of its workflow, in a step or in a task of its own. Frames
    /// belong to the workflow: use them there, and pass the step what it needs.
    #[error("frame used outside of its workflow: frame={frame}")]
    Outside {
        /// The name of the frame.
        frame: String,
    },
}

impl FrameError {
    /// The failure this ends a workflow (or an attempt) with: the kind of what failed below.
    pub(crate) fn failure(&self) -> Failure {
        let kind = match self {
            Self::StepFailed { fid, failure } | Self::ChildFailed { fid, failure } => {
                return Failure {
                    terminal: failure.terminal,
                    frame: Some(fid.clone()),
                    ..Failure::new(failure.kind.as_str(), format!("{fid}: {}", failure.message))
                };
            }
            Self::Cancelled { .. } => kind::CANCELLED,
            Self::Value { .. } => kind::VALUE,
            Self::PayloadTooLarge { .. } => kind::PAYLOAD_TOO_LARGE,
            Self::TooDeep { .. } => kind::DEPTH,
            Self::UnknownQueue { .. } => kind::QUEUE,
            Self::InvalidName(_) => "InvalidName",
            Self::Duplicate { .. } => "DuplicateFrame",
            Self::Outside { .. } => "Outside",
        };
        Failure::new(kind, self.to_string())
    }
}
