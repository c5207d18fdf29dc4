//! The difference between the store's clock and the clock of this machine.

use bytes::Bytes;
use jiff::SignedDuration;
use millpond::keys::Prefix;
use millpond::ports::Expect;
use millpond_conformance::Finding;
use serde::Serialize;

use super::finding::StoreFinding;
use super::target::Target;

/// A larger difference is a finding.
const TOLERANCE: SignedDuration = SignedDuration::from_secs(1);
/// A time without fractions was truncated: half a second is added.
const HALF_A_SECOND: SignedDuration = SignedDuration::from_millis(500);

/// The measured difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Skew {
    /// Milliseconds by which the store's clock is ahead of this machine's.
    pub(super) ahead_ms: i64,
    /// The error bound of the measurement.
    pub(super) give_or_take_ms: i64,
    /// Whether workers use the store's clock.
    pub(super) followed: bool,
}

/// Uses the dates of earlier answers, if they are recorded; otherwise the time of a new object in a
/// list: two requests. `None`: the list does not contain the object, which a probe will report.
pub(super) async fn skew(target: &Target) -> Result<Option<Skew>, Finding> {
    if let Some(time) = &target.time {
        return Ok(Some(Skew {
            ahead_ms: millis(time.ahead()),
            // The estimate changes only if the dates contradict it.
            give_or_take_ms: 0,
            followed: true,
        }));
    }
    let key = target.key("clock")?;
    let sent = target.clock.now();
    let body = Bytes::from_static(b"clock check");
    let _ = target.bucket.write(&key, body, Expect::Absent).await?;
    let trip = target.clock.now().duration_since(sent);
    let below = Prefix::parse(key.as_str())?;
    let mut page = target.bucket.list(&below, None, 1).await?;
    let row = loop {
        match (page.entries.into_iter().next(), page.next) {
            (Some(row), _) => break row,
            (None, Some(next)) => page = target.bucket.list(&below, Some(&next), 1).await?,
            (None, None) => return Ok(None),
        }
    };
    let (mut ahead, mut unsure) = (row.modified.duration_since(sent) - trip / 2, trip / 2);
    if row.modified.subsec_nanosecond() == 0 {
        (ahead, unsure) = (ahead + HALF_A_SECOND, unsure + HALF_A_SECOND);
    }
    Ok(Some(Skew {
        ahead_ms: millis(ahead),
        give_or_take_ms: millis(unsure),
        followed: false,
    }))
}

impl Skew {
    /// A finding if the difference is certainly more than a second.
    pub(super) fn finding(&self) -> Option<StoreFinding> {
        let beyond = self.ahead_ms.saturating_abs() - self.give_or_take_ms;
        let means = match self.followed {
            true => "workers use the store's clock, but other programs on this machine do not",
            false => "on this machine, timers and lease expiry are off by the same amount",
        };
        (beyond > millis(TOLERANCE)).then(|| {
            let advice = format!("synchronize this machine's clock (NTP): {means}");
            StoreFinding::new("clock", self.to_string(), advice)
        })
    }
}

impl std::fmt::Display for Skew {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (ahead, unsure) = (self.ahead_ms, self.give_or_take_ms);
        let way = if ahead < 0 { "behind" } else { "ahead of" };
        let by = ahead.saturating_abs();
        write!(
            f,
            "the store's clock is {by} ms {way} the clock of this machine"
        )?;
        match unsure {
            0 => Ok(()),
            unsure => write!(f, " (± {unsure} ms)"),
        }
    }
}

fn millis(time: SignedDuration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
