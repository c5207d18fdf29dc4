//! The states that a workflow shows. None is stored: a replay shows the same ones again.

use std::sync::Arc;

use super::frame_error::FrameError;
use super::table::Table;
use crate::domain::Json;

/// Receives each state with its number, from 0.
pub(crate) type Observer = Arc<dyn Fn(u64, Json) + Send + Sync>;

/// What messages name instead of a frame.
const NAME: &str = "set_state";

impl Table {
    /// Shows a state: no frame, no entry. Where nothing observes it, it is only counted.
    pub(crate) fn show(&self, value: Json) -> Result<(), FrameError> {
        if !self.is_inside() {
            let frame = NAME.to_owned();
            return Err(FrameError::Outside { frame });
        }
        let (number, observer) = {
            let mut state = self.lock();
            let (bytes, max) = (value.as_str().len(), state.limits.max_value);
            if bytes > max {
                let frame = NAME.to_owned();
                return Err(FrameError::PayloadTooLarge { frame, bytes, max });
            }
            if state.closed {
                return Ok(()); // destructors run: the workflow is over
            }
            let number = state.shown;
            state.shown += 1;
            (number, state.observer.clone())
        };
        // After the lock: an observer runs code of its caller.
        if let Some(observer) = observer {
            observer(number, value);
        }
        Ok(())
    }

    pub(super) fn observe(&self, observer: Observer) {
        self.lock().observer = Some(observer);
    }
}
