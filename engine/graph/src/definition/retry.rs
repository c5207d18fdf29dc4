//! The retry policy of a node.

use serde::{Deserialize, Serialize};

use super::span::Span;
use super::strict::{Whole, present};

/// When a failed attempt is followed by another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retry {
    /// All attempts, the first one included.
    pub attempts: Whole<1, 1000>,
    /// The wait after the first attempt.
    pub backoff: Span,
    /// What each further wait is multiplied by.
    pub factor: Factor,
    /// The longest wait.
    pub cap: Span,
    /// The time from the beginning of the activation after which no attempt begins.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub within: Option<Span>,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: Whole::new(1).expect("one is in the range"),
            backoff: Span::from_millis(1_000),
            factor: Factor(2.0),
            cap: Span::from_millis(60_000),
            within: None,
        }
    }
}

impl Retry {
    /// Returns the wait before attempt `number + 1`, where `number` counts from 1.
    #[must_use]
    pub fn wait_after(&self, number: u64) -> Span {
        let exponent = i32::try_from(number.saturating_sub(1)).unwrap_or(i32::MAX);
        #[expect(clippy::cast_precision_loss, reason = "the cap bounds the result")]
        let wait = self.backoff.as_millis() as f64 * self.factor.0.powi(exponent);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let wait = wait as u64; // Saturates; not-a-number is 0, which is backoff 0 times infinity.
        Span::from_millis(wait).min(self.cap)
    }
}

/// A number from 1 to 1,000.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Factor(f64);

impl Factor {
    /// Makes the factor, or returns nothing if the number is out of range.
    #[must_use]
    pub fn new(number: f64) -> Option<Self> {
        (1.0..=1000.0).contains(&number).then_some(Self(number))
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Factor {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        Self::new(number).ok_or_else(|| {
            serde::de::Error::custom(format!("not a number from 1 to 1000: got={number}"))
        })
    }
}
