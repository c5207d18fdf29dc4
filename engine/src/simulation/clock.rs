//! A process's clock: true time with a skew.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};

use crate::ports::Clock;
use crate::testing::ManualClock;

/// The wall clock has a skew that may change in both directions; monotonic time and sleeps are
/// exact.
#[derive(Debug)]
pub(crate) struct SkewedClock {
    time: Arc<ManualClock>,
    skew: Mutex<SignedDuration>,
}

impl SkewedClock {
    pub(crate) fn new(time: Arc<ManualClock>, millis: i64) -> Self {
        let skew = Mutex::new(SignedDuration::from_millis(millis));
        Self { time, skew }
    }

    pub(super) fn set_skew(&self, millis: i64) {
        *self.skew.lock().unwrap_or_else(PoisonError::into_inner) =
            SignedDuration::from_millis(millis);
    }
}

#[async_trait]
impl Clock for SkewedClock {
    fn now(&self) -> Timestamp {
        let skew = *self.skew.lock().unwrap_or_else(PoisonError::into_inner);
        self.time.now().checked_add(skew).unwrap_or(Timestamp::MAX)
    }

    fn monotonic(&self) -> Duration {
        self.time.monotonic()
    }

    async fn sleep(&self, duration: Duration) {
        self.time.sleep(duration).await;
    }
}
