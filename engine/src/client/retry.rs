//! Retries a failed or blocked execution, or resets one that waits.

use super::{Engine, EngineError};
use crate::domain::{Actor, Control, ExecutionId, FrameId, RetryRequest, Status};
use crate::journal::Journal;

impl RetryRequest {
    /// Creates a request to begin again from the failure that ended the execution.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins again from this frame: its outcome, even a value, is void, and what came after it.
    #[must_use]
    pub fn from(mut self, frame: FrameId) -> Self {
        self.from = Some(frame);
        self
    }

    /// Applies only if the execution has no entry after this one
    /// ([`Execution::newest_entry`](super::Execution::newest_entry)).
    #[must_use]
    pub fn fence(mut self, entry: u64) -> Self {
        self.fence = Some(entry);
        self
    }

    /// Sets the reason, for the journal; cut at 8 KiB.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = reason.into();
        self
    }
}

impl Engine {
    /// Requests that a failed or blocked execution begins again in another generation, from the
    /// failure, or from the frame that `request` names; with a frame, an execution that waits, too (a
    /// reset). What had succeeded by then is kept, and does not run again. A worker carries it out; a
    /// request that no longer applies then is refused by an entry `control.refused`. 1 G + 1 P.
    ///
    /// # Errors
    /// As [`Engine::signal`]; [`EngineError::NotRetried`] if the execution is in another state, and
    /// [`EngineError::StaleFence`].
    pub async fn retry(
        &self,
        eid: ExecutionId,
        request: RetryRequest,
        actor: Actor,
    ) -> Result<(), EngineError> {
        actor.check()?;
        let found = Journal::load(&self.core.ports, &eid).await?;
        let journal = found.ok_or(EngineError::UnknownExecution { eid })?;
        let head = &journal.head;
        let may = match head.status {
            Status::Failed | Status::Blocked => true,
            Status::Suspended => request.from.is_some(),
            _ => false,
        };
        if !may {
            let status = head.status;
            return Err(EngineError::NotRetried { eid, status });
        }
        if let Some(expected) = request.fence.filter(|fence| head.newest > *fence) {
            let found = head.newest;
            return Err(EngineError::StaleFence {
                eid,
                expected,
                found,
            });
        }
        let queue = head.record.queue.clone();
        self.mail_control(eid, &queue, Control::Retry(request), actor)
            .await
    }
}
