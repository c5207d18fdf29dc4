//! How long finished executions are kept, and how fast they are archived.

use std::time::Duration;

const DAY: u64 = 86_400;

/// Delays and bounds of retention. Plain data; each field states its cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetentionSettings {
    /// How long a finished execution stays complete, counted from its last feed object. Its
    /// objects occupy storage for that time.
    pub after: Duration,
    /// How long after its end the key of a finished execution starts no other one. It is stored
    /// with the execution when that is archived. Its feed objects occupy storage for that time;
    /// its tombstone (under 1 KiB) stays.
    pub free_after: Duration,
    /// Maximum of executions archived or freed per second: about 6 requests each.
    pub rate: u32,
    /// Maximum of executions examined in one pass. Each costs a read; finished ones cost more.
    pub most: usize,
}

impl Default for RetentionSettings {
    fn default() -> Self {
        Self {
            after: Duration::from_secs(7 * DAY),
            free_after: Duration::from_secs(90 * DAY),
            rate: 100,
            most: 100_000,
        }
    }
}

/// An invalid setting of retention.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RetentionSettingsError {
    /// Nothing would ever be done.
    #[error("{setting} of retention must be above 0")]
    Zero {
        /// The name of the setting.
        setting: &'static str,
    },
}

impl RetentionSettings {
    /// Rejects invalid settings.
    pub(super) fn check(&self) -> Result<(), RetentionSettingsError> {
        let zero = [("rate", self.rate == 0), ("most", self.most == 0)];
        match zero.into_iter().find(|(_, is)| *is) {
            Some((setting, _)) => Err(RetentionSettingsError::Zero { setting }),
            None => Ok(()),
        }
    }
}
