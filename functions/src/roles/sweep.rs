//! The sweeper's role if each pass is an invocation.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use jiff::Timestamp;
use millpond::client::{Engine, Position, Stop, Sweeper, Swept};
use millpond::ports::BucketError;

use super::time::Deadline;

/// The position of the next sweep, and the start of the last round whose hints were all sent, for
/// the lifetime of the process. A round is all timers and mail, in one sweep or several. A new process
/// starts from the beginning and sends all hints again: this costs lists and hints, and loses nothing.
#[derive(Debug, Default)]
pub struct Cursor(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    position: Position,
    /// The start of the round; `None` if some of its hints may not have been sent.
    began: Option<Timestamp>,
    /// Whether the last sweep ended the round.
    whole: bool,
    /// Whether all hints of the last sweep are known to be sent.
    sent: bool,
    notified: Option<Timestamp>,
}

impl Cursor {
    /// All hints of the last sweep were sent: if each sweep of a round reports this, the next round
    /// need not repeat them.
    pub fn all_sent(&self) {
        let mut state = self.state();
        state.sent = true;
        if state.whole && state.began.is_some() {
            state.notified = state.began;
        }
    }

    /// Returns where a sweep that begins `now` starts, and the start of the last complete round.
    fn begin(&self, now: Timestamp) -> (Position, Option<Timestamp>) {
        let mut state = self.state();
        if state.position == Position::default() {
            state.began = Some(now);
        } else if !state.sent {
            state.began = None;
        }
        (state.whole, state.sent) = (false, false);
        (state.position.clone(), state.notified)
    }

    fn end(&self, swept: &Swept) {
        let mut state = self.state();
        state.position.clone_from(&swept.position);
        state.whole = swept.whole;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why no hints were sent, or not all.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The store failed.
    #[error("cannot list timers and mail: the next sweep continues")]
    Bucket(#[from] BucketError),
    /// The time was over before the sweep advanced.
    #[error(
        "the time was over before a page of timers or mail was handled: the next sweep repeats it"
    )]
    Late,
}

/// Sweeps until everything is done or little time is left: timers that are due, timers that will be due
/// within `period`, mail older than a lease. If it is cut off, the next sweep continues after the last
/// hint. Concurrent sweeps are safe, because they write nothing. 1 P per 1,000 timers and mails.
///
/// # Errors
/// [`SweepError`]: the next sweep continues.
pub async fn sweep(
    engine: &Engine,
    period: Duration,
    cursor: &Cursor,
    deadline: Deadline,
) -> Result<Swept, SweepError> {
    let clock = Arc::clone(&engine.ports().clock);
    let (position, notified) = cursor.begin(clock.now());
    let sweeper = Sweeper::new(engine).ahead(period).since(notified);
    let mut swept = Swept {
        position: position.clone(),
        ..Swept::default()
    };
    let stop = Stop::default();
    let ended = {
        let work = async {
            // The rest of the time is needed to send the hints that wait.
            futures::select_biased! {
                ended = sweeper.resume(&mut swept, usize::MAX).boxed().fuse() => Some(ended),
                () = stop.gently.wait().fuse() => None,
            }
        };
        deadline.keep(&clock, &stop, work.boxed()).await.flatten()
    };
    cursor.end(&swept);
    match ended {
        Some(Err(error)) => Err(error.into()),
        // Without any progress, an empty result would be wrong.
        None if swept.position == position => Err(SweepError::Late),
        Some(Ok(())) | None => Ok(swept),
    }
}
