//! Pauses between attempts.

use std::time::Duration;

/// Pauses that double with each attempt in a row, from a first to a longest one.
///
/// Callers that compete draw a share of the pause from their source of randomness (full jitter), so
/// that callers that collided once do not collide again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
}

impl Backoff {
    /// Creates pauses from `first` up to `longest`.
    #[must_use]
    pub const fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest }
    }

    /// Returns the pause after `tries` attempts in a row; zero before the first attempt.
    #[must_use]
    pub fn after(self, tries: u32) -> Duration {
        match tries.checked_sub(1) {
            None => Duration::ZERO,
            Some(doubled) => self
                .first
                .saturating_mul(1 << doubled.min(30))
                .min(self.longest),
        }
    }

    /// Returns the longest pause.
    #[must_use]
    pub const fn longest(self) -> Duration {
        self.longest
    }
}
