//! The latency of requests, one at a time.

use std::time::Duration;

use bytes::Bytes;
use millpond::keys::Prefix;
use millpond::ports::{Clock, Expect};
use millpond_conformance::Finding;
use serde::Serialize;

use super::target::Target;

/// Requests of each verb.
const TIMES: usize = 50;
/// Bytes of an object: about the size of a head with a few steps.
const SIZE: usize = 1_024;

/// Milliseconds of each verb.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Latency {
    pub(super) write: Spread,
    pub(super) read: Spread,
    /// Pages of as many keys as there are requests.
    pub(super) list: Spread,
    pub(super) delete: Spread,
}

/// Percentiles in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Spread {
    pub(super) p50: f64,
    pub(super) p95: f64,
    pub(super) p99: f64,
    pub(super) max: f64,
}

impl Latency {
    /// Times 50 requests of each verb.
    pub(super) async fn of(target: &Target) -> Result<Self, Finding> {
        let mut keys = Vec::new();
        for number in 0..TIMES {
            keys.push(target.key(&format!("latency/{number:02}"))?);
        }
        let bucket = &target.bucket;
        let below = Prefix::parse(&format!("{}latency/", target.prefix))?;
        let (mut write, mut read, mut list, mut delete) = (vec![], vec![], vec![], vec![]);
        let clock = &*target.clock;
        for key in &keys {
            let body = Bytes::from(vec![b'.'; SIZE]);
            let written = bucket.write(key, body, Expect::Absent);
            // The probes check whether the write took effect.
            let _ = timed(clock, &mut write, written).await?;
        }
        for key in &keys {
            timed(clock, &mut read, bucket.read(key)).await?;
        }
        for _ in &keys {
            timed(clock, &mut list, bucket.list(&below, None, TIMES)).await?;
        }
        for key in &keys {
            timed(clock, &mut delete, bucket.delete(key)).await?;
        }
        Ok(Self {
            write: Spread::of(write),
            read: Spread::of(read),
            list: Spread::of(list),
            delete: Spread::of(delete),
        })
    }

    pub(super) fn rows(&self) -> [(&'static str, Spread); 4] {
        [
            ("write", self.write),
            ("read", self.read),
            ("list", self.list),
            ("delete", self.delete),
        ]
    }
}

async fn timed<T, E>(
    clock: &dyn Clock,
    times: &mut Vec<Duration>,
    request: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let sent = clock.monotonic();
    let answer = request.await?;
    times.push(clock.monotonic().saturating_sub(sent));
    Ok(answer)
}

impl Spread {
    pub(super) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        // The nearest rank: a measured time, not an interpolated one.
        let at = |percent: usize| {
            let rank = (times.len() * percent).div_ceil(100).max(1);
            let time = times.get(rank - 1).copied().unwrap_or_default();
            // No network needs more than microseconds.
            f64::from(u32::try_from(time.as_micros()).unwrap_or(u32::MAX)) / 1_000.0
        };
        Self {
            p50: at(50),
            p95: at(95),
            p99: at(99),
            max: at(100),
        }
    }
}
