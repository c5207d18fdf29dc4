//! The sweeper's role where each pass is an invocation.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use jiff::Timestamp;
use millpond::client::{Engine, Stop, Sweeper, Swept};
use millpond::keys::Key;
use millpond::ports::BucketError;

use super::time::Deadline;

/// Where the next sweep goes on with the mail, and when all was told last, while the process lives.
/// A new process begins at the front and tells of all: that costs lists and hints, and loses nothing.
#[derive(Debug, Default)]
pub struct Cursor {
    mail: Mutex<Option<Key>>,
    told: Mutex<Option<Timestamp>>,
}

impl Cursor {
    /// Whoever was to hear of the sweep that began at `began` has: the next one need not repeat it.
    pub fn all_told(&self, began: Timestamp) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(began);
    }

    fn told(&self) -> Option<Timestamp> {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why nothing, or not all, was passed on.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The store failed.
    #[error("the bucket was not listed")]
    Bucket(#[from] BucketError),
    /// The time was over before a first pass was.
    #[error("the time was over before timers and mail were listed once")]
    Late,
}

/// Sweeps until all is done or time is short: timers that are due, timers that will be within
/// `period`, mail older than a lease. Safe twice at once, since it writes nothing. 1 P for
/// each 1,000 timers and mails.
///
/// # Errors
/// [`SweepError`]: the next sweep does it all.
pub async fn sweep(
    engine: &Engine,
    period: Duration,
    cursor: &Cursor,
    deadline: Deadline,
) -> Result<Swept, SweepError> {
    let clock = Arc::clone(&engine.ports().clock);
    let sweeper = Sweeper::new(engine).ahead(period).since(cursor.told());
    let place = || cursor.mail.lock().unwrap_or_else(PoisonError::into_inner);
    let stop = Stop::default();
    let total = Mutex::new((0_u32, Swept::default()));
    let work = async {
        loop {
            let from = place().clone();
            let swept = sweeper.pass(from.as_ref()).await?;
            place().clone_from(&swept.cursor);
            let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
            let (passes, total) = &mut *total;
            *passes += 1;
            // The timers are the same in each pass.
            total.timers = total.timers.max(swept.timers);
            total.ahead = total.ahead.max(swept.ahead);
            total.stale_mail += swept.stale_mail;
            total.told += swept.told;
            total.cursor = swept.cursor;
            if total.cursor.is_none() || stop.gently.is_set() {
                return Ok(());
            }
        }
    };
    let swept: Option<Result<(), BucketError>> = deadline.keep(&clock, &stop, work.boxed()).await;
    let (passes, total) = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    match swept {
        Some(Err(error)) => Err(error.into()),
        // Who has seen nothing must not say that there is nothing.
        None if passes == 0 => Err(SweepError::Late),
        Some(Ok(())) | None => Ok(total),
    }
}
