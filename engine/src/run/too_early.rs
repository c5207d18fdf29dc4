//! What a run must never do: deletes that only planted bugs make (`planted.rs`).

use super::ended::RunError;
use super::pass::Pass;

impl Pass {
    /// Deletes what was absorbed, while the run is still at it.
    pub(super) async fn delete_mail_too_early(&mut self) -> Result<(), RunError> {
        for slot in &self.slots {
            self.core.ports.delete(&slot.key).await?;
        }
        Ok(())
    }

    /// Deletes the timer that woke the run, while the run is still at it.
    pub(super) async fn delete_timer_too_early(&mut self) -> Result<(), RunError> {
        if let Some(waking) = &self.waking {
            self.core.ports.delete(waking).await?;
        }
        Ok(())
    }
}
