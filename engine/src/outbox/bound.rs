//! The time limit of a dispatch.
//!
//! Under a lease it makes no request after `until`, by the monotonic clock. Undispatched effects stay
//! in the outbox: the dispatch continues after a renewal, otherwise the next run dispatches them.
//!
//! Without one (after a final commit, which clears the lease; in a run that dispatches the outbox of
//! an earlier run) it has no limit. It blocks no other run, every effect is a create that may be
//! done twice, and one that comes late finds the receiver's head: heads are never deleted.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use futures::FutureExt;

use crate::ports::Clock;

/// Polls `work` until `end` by the monotonic clock, and not once after it; then returns `None`.
/// The time is checked before each poll, since a process may be suspended between two.
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
