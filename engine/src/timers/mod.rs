//! The timer: one object per execution, `timers/{due}/{queue}/{eid}.{commit}`, its earliest
//! deadline.
//!
//! - **\[R\] A5** The key holds the commit that set it, so no timer key is ever used twice: a
//!   slow deleter of an old timer cannot hit a newer one of the same instant.
//! - **\[R\] A1** Clearing a timer is not an effect. The run whose commit superseded one
//!   deletes it, after everything else, and never the one that the head names (A6).
//! - **Crash** before the delete: a stale timer, which costs a cheap run when it is due.

use bytes::Bytes;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::domain::{ExecutionId, Queue};
use crate::keys::{self, Key, TimerKey};
use crate::ports::{BucketError, Hint, Ports};

/// Creates the timer. The key says everything; the body repeats it for people. 1 P.
///
/// # Errors
/// The store failed.
pub(crate) async fn set(ports: &Ports, key: &Key) -> Result<(), BucketError> {
    // Found is done: the key names its one setter.
    let _ = ports
        .create(key, Bytes::from_static(b"{\"format\":1}"))
        .await?;
    Ok(())
}

/// Tells who carries hints when the timer is due, as far as it can keep one for later.
pub(crate) async fn ring(ports: &Ports, key: Key) {
    if let Some(timer) = TimerKey::parse(&key) {
        let hint = Hint {
            queue: timer.queue,
            eid: timer.eid,
            cause: key,
            at: Some(timer.due),
        };
        ports.wakeups.ring(hint).await;
    }
}

/// The key for a deadline: the one in `current` while its instant is unchanged, else a new
/// one with the number of the commit that sets it.
///
/// **\[R\]** Keys hold microseconds: the timer of a deadline between two is due at the later
/// one. Were it cut to the earlier one, its run would find nothing due, and set it again.
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

/// One page of timers from the earliest on.
#[derive(Debug, Default)]
pub struct Due {
    /// Timers due by now, in order.
    pub now: Vec<(Key, TimerKey)>,
    /// When the next one is due, if the page shows one.
    pub next: Option<Timestamp>,
    /// The end of the page, if more may be due behind it.
    pub rest: Option<Key>,
    /// What stands on the page and is no timer: passed by.
    pub foreign: Vec<Key>,
}

/// Lists what is due at `now`. 1 P for each page of `limit`.
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

/// As [`due`]; with `until`, tried until then by the monotonic clock.
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
    // Not the last timer: a page may be full of what is none, or empty.
    found.rest = page.next;
    Ok(found)
}
