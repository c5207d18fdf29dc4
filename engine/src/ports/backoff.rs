//! Pauses between tries.

use std::time::Duration;

/// Pauses that double with each try in a row, from a first to a longest one.
///
/// Callers that compete with each other draw a share of the pause from their source of randomness
/// (full jitter), so that those that met do not meet again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
}

impl Backoff {
    /// Pauses from `first` up to `longest`.
    #[must_use]
    pub const fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest }
    }

    /// The pause after `tries` tries in a row; none after no try.
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

    /// The longest pause.
    #[must_use]
    pub const fn longest(self) -> Duration {
        self.longest
    }
}
