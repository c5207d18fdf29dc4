//! One attempt of a step runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::Limits;
use super::drive::{Drive, panicked};
use super::slot::What;
use crate::domain::{Failure, FrameId, Json, kind};
use crate::sdk::Attempt;

impl Drive {
    /// The work of one attempt. User code runs when the future is polled, not here; its panics
    /// are failures; its value is checked.
    pub(crate) fn begin(
        &mut self,
        fid: &FrameId,
        attempt: Attempt,
    ) -> BoxFuture<'static, Result<Json, Failure>> {
        let step_body = match self.table.lock().slots.get(fid).map(|slot| &slot.what) {
            Some(What::Step {
                step_body: Some(step_body),
                ..
            }) => Arc::clone(step_body),
            _ => {
                let gone = Failure::new(kind::CANCELLED, format!("the step is over: fid={fid}"));
                return futures::future::ready(Err(gone)).boxed();
            }
        };
        let limits = self.limits;
        let run = async move {
            // Attempts follow one another, so the lock is free; a panic of an earlier one is
            // told already.
            let begun = catch_unwind(AssertUnwindSafe(|| {
                step_body.lock().unwrap_or_else(PoisonError::into_inner)(attempt)
            }));
            let ended = match begun {
                Ok(work) => AssertUnwindSafe(work).catch_unwind().await,
                Err(panic) => Err(panic),
            };
            ended
                .unwrap_or_else(|panic| Err(panicked(&*panic)))
                .and_then(|value| limits.check(value))
        };
        run.boxed()
    }
}

impl Limits {
    /// Refuses a value over the cap.
    pub(super) fn check(&self, value: Json) -> Result<Json, Failure> {
        let (bytes, most) = (value.as_str().len(), self.max_value);
        if bytes <= most {
            return Ok(value);
        }
        let text = format!("value too large: bytes={bytes} most={most}");
        Err(Failure::new(kind::PAYLOAD_TOO_LARGE, text).terminal())
    }
}
