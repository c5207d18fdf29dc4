//! How long finished executions are kept, and how fast they are archived.

use std::time::Duration;

use crate::outbox;

const DAY: u64 = 86_400;

/// Delays and bounds of retention. Plain data; each field states its cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetentionSettings {
    /// How long a finished execution stays complete, counted from its last feed object. Its
    /// objects occupy storage for that time.
    pub after: Duration,
    /// How long its tombstone (under 1 KiB) stays after that. Until then its key starts no new
    /// execution, and late writes are refused.
    pub purge: Duration,
    /// Maximum of executions archived or purged per second: about 6 requests each.
    pub rate: u32,
    /// Maximum of executions examined in one pass. Each costs a read; finished ones cost more.
    pub most: usize,
}

impl Default for RetentionSettings {
    fn default() -> Self {
        Self {
            after: Duration::from_secs(7 * DAY),
            purge: Duration::from_secs(90 * DAY),
            rate: 100,
            most: 100_000,
        }
    }
}

/// An invalid setting of retention.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RetentionSettingsError {
    /// A tombstone would be deleted before late senders have given up.
    #[error(
        "tombstones must stay for at least {least:?} (twenty times the lease TTL), or late \
         writes revive what is over: purge={purge:?}"
    )]
    PurgeTooSoon {
        /// The value given.
        purge: Duration,
        /// The smallest valid value.
        least: Duration,
    },
    /// Nothing would ever be done.
    #[error("{setting} of retention must be above 0")]
    Zero {
        /// The name of the setting.
        setting: &'static str,
    },
}

impl RetentionSettings {
    /// Returns the shortest valid second delay for leases of `ttl`: twice the longest time that a
    /// dispatch, or a delete by retention, may take.
    #[must_use]
    pub fn least_purge(ttl: Duration) -> Duration {
        outbox::horizon(Duration::ZERO, ttl) * 2
    }

    /// Rejects invalid settings.
    pub(super) fn check(&self, ttl: Duration) -> Result<(), RetentionSettingsError> {
        let (purge, least) = (self.purge, Self::least_purge(ttl));
        if purge < least {
            return Err(RetentionSettingsError::PurgeTooSoon { purge, least });
        }
        let zero = [("rate", self.rate == 0), ("most", self.most == 0)];
        match zero.into_iter().find(|(_, is)| *is) {
            Some((setting, _)) => Err(RetentionSettingsError::Zero { setting }),
            None => Ok(()),
        }
    }
}
