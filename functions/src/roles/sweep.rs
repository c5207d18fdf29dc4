//! The sweeper's role if each pass is an invocation.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use jiff::Timestamp;
use millpond::client::{Engine, Stop, Sweeper, Swept};
use millpond::keys::Key;
use millpond::ports::BucketError;

use super::time::Deadline;

/// The position of the next sweep in the mail, and the start of the last complete sweep, for the
/// lifetime of the process. A new process starts from the beginning and sends all hints again: this
/// costs lists and hints, and loses nothing.
#[derive(Debug, Default)]
pub struct Cursor {
    mail: Mutex<Option<Key>>,
    notified: Mutex<Option<Timestamp>>,
}

impl Cursor {
    /// All hints of the sweep that began at `began` were sent: the next one need not repeat them.
    pub fn all_notified(&self, began: Timestamp) {
        *self.notified.lock().unwrap_or_else(PoisonError::into_inner) = Some(began);
    }

    fn notified(&self) -> Option<Timestamp> {
        *self.notified.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why no hints were sent, or not all.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The store failed.
    #[error("cannot list timers and mail: the next sweep repeats it")]
    Bucket(#[from] BucketError),
    /// The time was over before the first pass ended.
    #[error("the time was over before timers and mail were listed once: the next sweep repeats it")]
    Late,
}

/// Sweeps until everything is done or little time is left: timers that are due, timers that will be due
/// within `period`, mail older than a lease. Concurrent sweeps are safe, because they write nothing.
/// 1 P per 1,000 timers and mails.
///
/// # Errors
/// [`SweepError`]: the next sweep repeats everything.
pub async fn sweep(
    engine: &Engine,
    period: Duration,
    cursor: &Cursor,
    deadline: Deadline,
) -> Result<Swept, SweepError> {
    let clock = Arc::clone(&engine.ports().clock);
    let sweeper = Sweeper::new(engine).ahead(period).since(cursor.notified());
    let position = || cursor.mail.lock().unwrap_or_else(PoisonError::into_inner);
    let stop = Stop::default();
    let total = Mutex::new((0_u32, Swept::default()));
    let work = async {
        loop {
            let from = position().clone();
            let swept = sweeper.pass(from.as_ref()).await?;
            position().clone_from(&swept.cursor);
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
        // Without one complete pass, an empty result would be wrong.
        None if passes == 0 => Err(SweepError::Late),
        Some(Ok(())) | None => Ok(total),
    }
}
