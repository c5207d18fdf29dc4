//! One attempt of a step: its body runs once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::drive::Drive;
use super::panic::text;
use super::{Attempt, Limits};
use crate::domain::{Failure, FrameId, Json, kind};

impl Drive {
    /// The work of one attempt. User code runs when the future is polled, not here. A panic is a
    /// failure, and the size of the value is checked.
    pub(crate) fn begin(
        &mut self,
        fid: &FrameId,
        attempt: Attempt,
    ) -> BoxFuture<'static, Result<Json, Failure>> {
        let body = {
            let state = self.table.lock();
            let slot = state.slots.get(fid);
            slot.and_then(|slot| slot.frame.step()?.body())
        };
        let Some(step_body) = body else {
            let gone = Failure::new(kind::CANCELLED, format!("the step is over: fid={fid}"));
            return futures::future::ready(Err(gone)).boxed();
        };
        let limits = self.limits;
        let run = async move {
            // Attempts follow one another, so the lock is free; a panic of an earlier one has
            // been its failure.
            let begun = catch_unwind(AssertUnwindSafe(|| {
                step_body.lock().unwrap_or_else(PoisonError::into_inner)(attempt)
            }));
            let ended = match begun {
                Ok(work) => AssertUnwindSafe(work).catch_unwind().await,
                Err(panic) => Err(panic),
            };
            ended
                .unwrap_or_else(|panic| Err(Failure::new(kind::PANIC, text(&*panic))))
                .and_then(|value| limits.check(value))
        };
        run.boxed()
    }
}

impl Limits {
    /// Rejects a value that is larger than the maximum.
    pub(super) fn check(&self, value: Json) -> Result<Json, Failure> {
        let (bytes, max) = (value.as_str().len(), self.max_value);
        if bytes <= max {
            return Ok(value);
        }
        let text = format!("value too large: bytes={bytes} max={max}");
        Err(Failure::new(kind::PAYLOAD_TOO_LARGE, text).terminal())
    }
}
