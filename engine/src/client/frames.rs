//! The tree of frames of an execution, read from its journal.

use super::past::History;
use super::{Engine, EngineError};
use crate::domain::{ExecutionId, Status};
use crate::journal;
use crate::replay::{Frame, FrameStatus, Tree};

impl Engine {
    /// Returns the tree of frames of an execution. 1 G, + 1 G for each segment; 2 G if it is
    /// archived.
    ///
    /// # Errors
    /// Unknown execution; the store failed, or an object cannot be read.
    pub async fn frames(&self, eid: ExecutionId) -> Result<Frame, EngineError> {
        let History {
            record,
            status,
            at,
            commits,
            ..
        } = self.history(eid, 0).await?;
        let mut tree = Tree::new(record.created_at);
        journal::lines(&commits)
            .iter()
            .for_each(|line| tree.read(line));
        if status.is_terminal() {
            tree.end(at);
        }
        let mut root = tree.nested();
        root.about = Some(format!("{}@{}", record.workflow, record.version));
        root.status = match status {
            // The archive contains how it ended.
            Status::Completed | Status::Archived => FrameStatus::Completed,
            Status::Failed => FrameStatus::Failed,
            Status::Cancelled | Status::Terminated => FrameStatus::Cancelled,
            Status::Running | Status::Pending => FrameStatus::Running,
            Status::Suspended | Status::Paused | Status::Blocked => FrameStatus::Waiting,
        };
        Ok(root)
    }
}
