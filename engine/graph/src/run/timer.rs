//! The one sleep for the earliest deadline and the next attempt.

use jiff::Timestamp;
use millpond::{Context, Sleep};

/// The sleep that is open, and until when, in milliseconds.
#[derive(Debug, Default)]
pub(super) struct Timer(Option<(u64, Sleep)>);

impl Timer {
    /// Sets it to the next time at which something follows without an event.
    ///
    /// While an attempt runs, an earlier sleep stays: a loop of short actions then has one sleep in
    /// its journal, not one for each. What waits would be woken too early by it, at the price of a
    /// run without work, so it gets the exact time.
    pub(super) fn set(&mut self, shield: &Context, next: Option<u64>, works: bool) {
        let Some(next) = next else {
            self.0 = None;
            return;
        };
        let fits = |until: u64| until == next || (works && until < next);
        if self.0.as_ref().is_some_and(|(until, _)| fits(*until)) {
            return;
        }
        // The earlier sleep is dropped before the next one begins.
        self.0 = None;
        self.0 = Some((next, shield.sleep_until(instant(next))));
    }

    pub(super) fn sleep(&mut self) -> Option<&mut Sleep> {
        self.0.as_mut().map(|(_, sleep)| sleep)
    }

    pub(super) fn clear(&mut self) {
        self.0 = None;
    }
}

/// The instant of a number of milliseconds since 1970; the last one if there is no such instant.
pub(super) fn instant(millis: u64) -> Timestamp {
    let millis = i64::try_from(millis).ok();
    let instant = millis.and_then(|millis| Timestamp::from_millisecond(millis).ok());
    instant.unwrap_or(Timestamp::MAX)
}

/// The milliseconds since 1970 of an instant; 0 before it.
pub(super) fn millis(instant: Timestamp) -> u64 {
    u64::try_from(instant.as_millisecond()).unwrap_or(0)
}
