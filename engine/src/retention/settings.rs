//! How long what is over is kept, and how fast it goes.

use std::time::Duration;

use crate::outbox;

const DAY: u64 = 86_400;

/// Delays and bounds of retention. Plain data; each field says what it costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetentionSettings {
    /// How long a finished execution stays as it is, from its last word in the feed on. Its
    /// objects take room for so long.
    pub after: Duration,
    /// How long its tombstone (under 1 KiB) stays after that. Until then its key starts nothing
    /// new, and whatever comes late is refused.
    pub purge: Duration,
    /// Executions archived or purged a second, at most: about 6 requests each.
    pub rate: u32,
    /// Executions looked at in one pass, at most. Each costs a read; those that are over more.
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

/// A setting of retention that is no good.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RetentionSettingsError {
    /// A tombstone would be gone before who writes late has given up.
    #[error(
        "tombstones must stay for at least {least:?} (twenty times the lease TTL), or late \
         writes revive what is over: purge={purge:?}"
    )]
    PurgeTooSoon {
        /// As given.
        purge: Duration,
        /// The least that is good.
        least: Duration,
    },
    /// Nothing would ever be done.
    #[error("{setting} of retention must be above 0")]
    Zero {
        /// Which one.
        setting: &'static str,
    },
}

impl RetentionSettings {
    /// The shortest second delay under leases of `ttl`: twice the time that a dispatch, or a
    /// delete of retention's own, may still be under way.
    #[must_use]
    pub fn least_purge(ttl: Duration) -> Duration {
        outbox::horizon(Duration::ZERO, ttl) * 2
    }

    /// Refuses what cannot work.
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
