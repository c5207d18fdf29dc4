//! The budget of an execution: how many requests it may make.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Seconds of a day.
const DAY: i64 = 86_400;

/// The requests of an execution on one day (UTC), and what an operator permits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// The day that `requests` counts, in days since 1970.
    pub day: i64,
    /// The requests of that day, by the price list.
    pub requests: u64,
    /// The number of requests a day that an operator permits, in place of that of the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
}

impl Budget {
    pub(crate) fn is_unused(&self) -> bool {
        *self == Self::default()
    }

    /// Counts requests made at an instant. Each day is counted afresh.
    pub fn spend(&mut self, at: Timestamp, requests: u64) {
        self.requests = self.spent(at).saturating_add(requests);
        self.day = day(at);
    }

    /// Returns the requests so far on the day of this instant.
    #[must_use]
    pub fn spent(&self, at: Timestamp) -> u64 {
        match self.day == day(at) {
            true => self.requests,
            false => 0,
        }
    }
}

fn day(at: Timestamp) -> i64 {
    at.as_second().div_euclid(DAY)
}
