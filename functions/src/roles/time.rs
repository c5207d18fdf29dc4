//! The time limit of an invocation.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, select};
use millpond::client::Stop;
use millpond::ports::Clock;

/// When an invocation ends, by the monotonic clock, and how it winds down before that.
///
/// A late answer is lost. If the process is cut off, its attempts count as lost and its executions
/// stay leased until the lease expires. Therefore no attempt begins later than `handover` before the
/// end; running attempts are abandoned `abandon` before the end; after that the answer is sent,
/// whatever is still in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    /// When the invocation is cut off.
    pub end: Duration,
    /// How long before the end the last attempt begins.
    pub handover: Duration,
    /// How long before the end running attempts are abandoned.
    pub abandon: Duration,
}

/// Enough for a commit, its effects and the deletes on a slow store.
const HANDOVER: Duration = Duration::from_secs(5);
const ABANDON: Duration = Duration::from_secs(1);

impl Deadline {
    /// A deadline `left` from now. Short ones reserve a fifth and a tenth to wind down.
    #[must_use]
    pub fn within(clock: &dyn Clock, left: Duration) -> Self {
        Self {
            end: clock.monotonic() + left,
            handover: HANDOVER.min(left / 5),
            abandon: ABANDON.min(left / 10),
        }
    }

    /// Runs `work` and sets `stop` in time for it to wind down; returns `None` if it does not end.
    pub async fn keep<T>(
        &self,
        clock: &Arc<dyn Clock>,
        stop: &Stop,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let limit = async {
            let until =
                |before| (self.end.saturating_sub(before)).saturating_sub(clock.monotonic());
            clock.sleep(until(self.handover)).await;
            stop.gently.set();
            clock.sleep(until(self.abandon)).await;
            stop.now.set();
            // Abandoned work ends at once; there is no reason to wait longer.
            clock.sleep(until(self.abandon / 2)).await;
        };
        let (work, limit) = (std::pin::pin!(work), std::pin::pin!(limit));
        match select(work, limit).await {
            Either::Left((done, _)) => Some(done),
            Either::Right(((), _)) => None,
        }
    }
}
