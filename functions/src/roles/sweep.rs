//! The sweeper's role where each pass is an invocation.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use millpond::doors::BucketError;
use millpond::keys::Key;
use millpond::runtime::{Engine, Stop, Sweeper, Swept};

use super::time::Deadline;

/// Where the next sweep goes on with the mail, while the process lives. A new process begins at
/// the front: that costs lists, and loses nothing.
#[derive(Debug, Default)]
pub struct Cursor(Mutex<Option<Key>>);

/// Sweeps until all is done or time is short: alarms that are due, alarms that will be within
/// `period`, mail older than an ownership. Safe twice at once, since it writes nothing. 1 P for
/// each 1,000 alarms and mails.
///
/// # Errors
/// The store failed; the next sweep does it all.
pub async fn sweep(
    engine: &Engine,
    period: Duration,
    cursor: &Cursor,
    deadline: Deadline,
) -> Result<Swept, BucketError> {
    let clock = Arc::clone(&engine.doors().clock);
    let sweeper = Sweeper::new(engine).ahead(period);
    let place = || cursor.0.lock().unwrap_or_else(PoisonError::into_inner);
    let stop = Stop::default();
    let total = Mutex::new(Swept::default());
    let work = async {
        loop {
            let from = place().clone();
            let swept = sweeper.pass(from.as_ref()).await?;
            place().clone_from(&swept.cursor);
            let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
            // The alarms are the same in each pass.
            total.alarms = total.alarms.max(swept.alarms);
            total.ahead = total.ahead.max(swept.ahead);
            total.stale_mail += swept.stale_mail;
            total.cursor = swept.cursor;
            if total.cursor.is_none() || stop.gently.is_set() {
                return Ok(());
            }
        }
    };
    let swept = deadline.keep(&clock, &stop, work.boxed()).await;
    let total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    match swept {
        Some(Err(error)) => Err(error),
        Some(Ok(())) => Ok(total),
        None => Ok(Swept {
            cursor: place().clone(),
            ..total
        }),
    }
}
