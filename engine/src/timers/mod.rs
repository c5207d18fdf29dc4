//! The timer: one object per execution, `timers/{due}/{queue}/{eid}.{commit}`, for its earliest
//! deadline.
//!
//! - **\[R\] A5** The key holds the commit that set it, so no timer key is ever used twice: a
//!   slow deleter of an old timer cannot hit a newer one of the same instant.
//! - **\[R\] A1** Clearing a timer is not an effect. The run whose commit supersedes a timer
//!   deletes it, after all other work, but never the one that the head names (A6).
//! - **Crash** before the delete: a stale timer, which costs one run without writes when it is due.

use bytes::Bytes;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::domain::{ExecutionId, Queue};
use crate::keys::{self, Key, TimerKey};
use crate::ports::{BucketError, Hint, Ports};

/// Creates the timer. The key is complete; the body repeats it for human readers. 1 P.
///
/// # Errors
/// The store failed.
pub(crate) async fn set(ports: &Ports, key: &Key) -> Result<(), BucketError> {
    // An existing object is a success: the key names its only writer.
    let _ = ports
        .create(key, Bytes::from_static(b"{\"format\":1}"))
        .await?;
    Ok(())
}

/// Notifies the hint carrier of the due instant, as far as the carrier can delay a hint.
pub(crate) async fn notify(ports: &Ports, key: Key) {
    if let Some(timer) = TimerKey::parse(&key) {
        let hint = Hint {
            queue: timer.queue,
            eid: timer.eid,
            cause: key,
            at: Some(timer.due),
        };
        ports.wakeups.notify(hint).await;
    }
}

/// The key for a deadline: `current` while its instant is unchanged, else a new key with the number
/// of the commit that sets it.
///
/// **\[R\]** Keys hold microseconds, so a timer for a deadline between two of them is due at the
/// later one. Rounded down, its run would find no deadline due and set the timer again.
pub(crate) fn key_for(
    due: Timestamp,
    queue: &Queue,
    eid: &ExecutionId,
    commit: u64,
    current: Option<&Key>,
) -> Key {
    let fresh = keys::timer(micros_up(due), queue, eid, commit);
    let same = |key: &&Key| keys::stamp(due) == stamp_of(key);
    current.filter(same).cloned().unwrap_or(fresh)
}

fn micros_up(at: Timestamp) -> Timestamp {
    let over = at.subsec_nanosecond().rem_euclid(1_000);
    let up = SignedDuration::from_nanos(i64::from((1_000 - over) % 1_000));
    at.checked_add(up).unwrap_or(at)
}

fn stamp_of(key: &Key) -> String {
    TimerKey::parse(key)
        .map(|timer| keys::stamp(timer.due))
        .unwrap_or_default()
}

/// One page of timers, earliest first.
#[derive(Debug, Default)]
pub struct Due {
    /// The timers due by now, in order.
    pub now: Vec<(Key, TimerKey)>,
    /// The due instant of the next timer, if the page shows one.
    pub next: Option<Timestamp>,
    /// The end of the page, if more timers may be due after it.
    pub rest: Option<Key>,
    /// Objects on the page that are not timers: skipped.
    pub foreign: Vec<Key>,
}

/// Lists the timers due at `now`. 1 P for each page of `limit`.
///
/// # Errors
/// The store failed.
pub async fn due(
    ports: &Ports,
    now: Timestamp,
    after: Option<&Key>,
    limit: usize,
) -> Result<Due, BucketError> {
    due_until(ports, now, after, limit, None).await
}

/// As [`due`]; with `until`, retried up to that instant of the monotonic clock.
///
/// # Errors
/// The store failed, or did not answer in time.
pub(crate) async fn due_until(
    ports: &Ports,
    now: Timestamp,
    after: Option<&Key>,
    limit: usize,
    until: Option<Duration>,
) -> Result<Due, BucketError> {
    let page = ports
        .page_until(&keys::timers(), after, limit, until)
        .await?;
    let mut found = Due::default();
    for row in page.entries {
        let Some(timer) = TimerKey::parse(&row.key) else {
            found.foreign.push(row.key);
            continue;
        };
        if timer.due > now {
            found.next = Some(timer.due);
            return Ok(found);
        }
        found.now.push((row.key, timer));
    }
    // The end of the page instead of its last timer: a page may be empty or full of foreign
    // objects.
    found.rest = page.next;
    Ok(found)
}
