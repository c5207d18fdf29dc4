//! The operating system's clocks.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::Timestamp;
use millpond::ports::Clock;

/// The system's clocks. Sleeps need a tokio runtime with time enabled.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock whose monotonic time starts now.
    #[must_use]
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_sleep_lasts_as_long_as_specified() {
        let before = tokio::time::Instant::now();
        SystemClock::new().sleep(Duration::from_secs(90)).await;
        assert_eq!(before.elapsed().as_secs(), 90);
    }

    #[test]
    fn the_monotonic_side_begins_at_its_making_and_never_steps_back() {
        let clock = SystemClock::new();
        let readings: Vec<_> = (0..1000).map(|_| clock.monotonic()).collect();
        assert!(readings.is_sorted());
        assert!(readings[0] < Duration::from_secs(60));
    }

    #[test]
    fn the_wall_shows_the_time_of_the_system() {
        let unix = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
        let shown = SystemClock::default().now().as_second();
        assert!(shown.abs_diff(unix.as_secs().cast_signed()) < 60);
    }
}
