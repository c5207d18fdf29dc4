//! How long requests take, one at a time.

use std::time::Duration;

use bytes::Bytes;
use millpond::keys::Prefix;
use millpond::ports::{Clock, Expect};
use millpond_conformance::Finding;
use serde::Serialize;

use super::exam::Patient;

/// Requests of each verb.
const TIMES: usize = 50;
/// Bytes of an object: about what a head of a few steps has.
const SIZE: usize = 1_024;

/// Milliseconds of each verb.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Latency {
    pub(super) write: Spread,
    pub(super) read: Spread,
    /// A page of as many keys as requests are made.
    pub(super) list: Spread,
    pub(super) delete: Spread,
}

/// So many milliseconds were enough for half of the requests, for 95 of 100, and so on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Spread {
    pub(super) p50: f64,
    pub(super) p95: f64,
    pub(super) p99: f64,
    pub(super) max: f64,
}

impl Latency {
    /// Times 50 requests of each verb.
    pub(super) async fn of(patient: &Patient) -> Result<Self, Finding> {
        let mut keys = Vec::new();
        for number in 0..TIMES {
            keys.push(patient.key(&format!("latency/{number:02}"))?);
        }
        let bucket = &patient.bucket;
        let below = Prefix::parse(&format!("{}latency/", patient.prefix))?;
        let (mut write, mut read, mut list, mut delete) = (vec![], vec![], vec![], vec![]);
        let clock = &*patient.clock;
        for key in &keys {
            let body = Bytes::from(vec![b'.'; SIZE]);
            let asked = bucket.write(key, body, Expect::Absent);
            // Whether it keeps its word is for the probes to say.
            let _ = timed(clock, &mut write, asked).await?;
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
        // The nearest rank: a time that was measured, not one between two.
        let at = |percent: usize| {
            let rank = (times.len() * percent).div_ceil(100).max(1);
            let time = times.get(rank - 1).copied().unwrap_or_default();
            // Microseconds are as fine as anybody's network.
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
