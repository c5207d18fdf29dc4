//! How far the store's clock and this machine's are apart.

use bytes::Bytes;
use jiff::SignedDuration;
use millpond::keys::Prefix;
use millpond::ports::Expect;
use millpond_conformance::Finding;
use serde::Serialize;

use super::concern::Concern;
use super::exam::Patient;

/// More than that is a finding.
const MOST: SignedDuration = SignedDuration::from_secs(1);
/// An instant without fractions was cut: it is taken to be half a second later.
const HALF_A_SECOND: SignedDuration = SignedDuration::from_millis(500);

/// What was seen of the store's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Skew {
    /// Milliseconds by which the store's clock is ahead of this machine's.
    pub(super) ahead_ms: i64,
    /// How well that is known.
    pub(super) give_or_take_ms: i64,
    /// Whether workers go by the store's clock anyway.
    pub(super) followed: bool,
}

/// Looks at the dates of the answers so far, where they are kept; else at what a listing says of
/// an object just written: two requests. `None`: the listing does not show it (for a probe to find).
pub(super) async fn skew(patient: &Patient) -> Result<Option<Skew>, Finding> {
    if let Some(time) = &patient.time {
        return Ok(Some(Skew {
            ahead_ms: millis(time.ahead()),
            // The estimate moves only as far as the dates leave no other way.
            give_or_take_ms: 0,
            followed: true,
        }));
    }
    let key = patient.key("clock")?;
    let sent = patient.clock.now();
    let body = Bytes::from_static(b"what time is it?");
    let _ = patient.bucket.write(&key, body, Expect::Absent).await?;
    let trip = patient.clock.now().duration_since(sent);
    let below = Prefix::parse(key.as_str())?;
    let page = patient.bucket.list(&below, None, 1).await?;
    let Some(row) = page.entries.into_iter().next() else {
        return Ok(None);
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
    /// What to do about it, if it is certainly more than a second.
    pub(super) fn concern(&self) -> Option<Concern> {
        let beyond = self.ahead_ms.saturating_abs() - self.give_or_take_ms;
        let means = match self.followed {
            true => "workers go by the store's clock, but what else runs here does not",
            false => "timers and takeovers are early or late by as much on this machine",
        };
        (beyond > millis(MOST)).then(|| {
            let advice = format!("set this machine's clock (NTP): {means}");
            Concern::new("clock", self.to_string(), advice)
        })
    }
}

impl std::fmt::Display for Skew {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (ahead, unsure) = (self.ahead_ms, self.give_or_take_ms);
        let way = if ahead < 0 { "behind" } else { "ahead of" };
        let by = ahead.saturating_abs();
        write!(f, "the store's clock is {by} ms {way} this machine's")?;
        match unsure {
            0 => Ok(()),
            unsure => write!(f, ", give or take {unsure} ms"),
        }
    }
}

fn millis(time: SignedDuration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
