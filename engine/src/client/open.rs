//! What the open frames of an execution wait for.

use super::{Frame, FrameKind, FrameStatus};
use crate::domain::ExecutionId;

/// What a frame waits for that another execution or a sender must provide.
pub(super) enum Open {
    Message,
    Child(ExecutionId),
}

/// Adds what `frame` and the frames below it wait for.
pub(super) fn collect(frame: &Frame, open: &mut Vec<Open>) {
    match (frame.kind, frame.status, frame.child) {
        (FrameKind::Receive, FrameStatus::Waiting, _) => open.push(Open::Message),
        (FrameKind::Child, FrameStatus::Running | FrameStatus::Waiting, Some(child)) => {
            open.push(Open::Child(child));
        }
        _ => {}
    }
    frame.frames.iter().for_each(|below| collect(below, open));
}
