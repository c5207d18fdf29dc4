//! A bound on the time that an invocation has.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, select};
use millpond::client::Stop;
use millpond::ports::Clock;

/// When an invocation ends, by the monotonic clock, and how it winds down before that.
///
/// An answer that comes late is none, and a process that is cut off leaves its attempts counted
/// as lost and its executions held until their lease has run out. So: `handover` before the
/// end no new attempt begins; `abandon` before it running ones are given up; after that the answer
/// goes out, whatever is still under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    /// When the invocation is cut off.
    pub end: Duration,
    /// How long before that no attempt begins any more.
    pub handover: Duration,
    /// How long before that running ones are given up.
    pub abandon: Duration,
}

/// Before the end: enough for a commit, its effects and the deletes, on a slow day.
const HANDOVER: Duration = Duration::from_secs(5);
const ABANDON: Duration = Duration::from_secs(1);

impl Deadline {
    /// So long from now. Short ones keep a fifth, and a tenth, to wind down.
    #[must_use]
    pub fn within(clock: &dyn Clock, left: Duration) -> Self {
        Self {
            end: clock.monotonic() + left,
            handover: HANDOVER.min(left / 5),
            abandon: ABANDON.min(left / 10),
        }
    }

    /// Does `work`, tells it by `stop` to wind down in time, and answers `None` where it does not.
    pub async fn keep<T>(
        &self,
        clock: &Arc<dyn Clock>,
        stop: &Stop,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let told = async {
            let until =
                |before| (self.end.saturating_sub(before)).saturating_sub(clock.monotonic());
            clock.sleep(until(self.handover)).await;
            stop.gently.set();
            clock.sleep(until(self.abandon)).await;
            stop.now.set();
            // What it leaves is seen at once; no longer than that.
            clock.sleep(until(self.abandon / 2)).await;
        };
        let (work, told) = (std::pin::pin!(work), std::pin::pin!(told));
        match select(work, told).await {
            Either::Left((done, _)) => Some(done),
            Either::Right(((), _)) => None,
        }
    }
}
