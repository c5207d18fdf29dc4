//! How long a dispatch may go on.
//!
//! - **Under a lease** it makes no request after `until`, by the monotonic clock. What it
//!   has not done stays in the outbox: a renewal lets it go on, else the next run dispatches.
//! - **Without one** (after a final commit, which clears the lease; of a run that dispatches what
//!   another left) nobody is kept out by it, and every effect is a create that may be done
//!   twice. It is bounded all the same: what comes late must not find that an execution was
//!   purged meanwhile, and make it anew. So it ends [`PERIODS`] leases after the commit was
//!   sent, or the head was read, with its causes in place. That is far below the delay after
//!   which tombstones are purged, and long enough for a full window on a slow store.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use futures::FutureExt;

use crate::ports::Clock;

/// Leases that a dispatch without one may last.
const PERIODS: u32 = 10;

/// When a dispatch without a lease ends that began at `from`.
pub(crate) fn horizon(from: Duration, ttl: Duration) -> Duration {
    from.saturating_add(ttl.saturating_mul(PERIODS))
}

/// Works on `work` until `end` by the monotonic clock, not once more after it: `None`. The time
/// is looked at before each step of it, since a process may stand still between two.
pub(crate) async fn until<F: Future + Unpin>(
    clock: &dyn Clock,
    end: Duration,
    work: &mut F,
) -> Option<F::Output> {
    let mut ended = clock.sleep(end.saturating_sub(clock.monotonic()));
    poll_fn(|cx| {
        if clock.monotonic() >= end {
            return Poll::Ready(None);
        }
        if let Poll::Ready(out) = work.poll_unpin(cx) {
            return Poll::Ready(Some(out));
        }
        ended.poll_unpin(cx).map(|()| None)
    })
    .await
}
