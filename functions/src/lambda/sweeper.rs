//! The sweeper's shell.

use std::collections::BTreeSet;
use std::time::Duration;

use millpond::client::Swept;
use millpond::domain::Queue;
use serde_json::{Value, json};

use super::context::Cloud;
use super::failed::Failed;
use super::metrics::Metrics;
use crate::roles::{Deadline, sweep};

/// Hints that were not sent.
#[derive(Debug, thiserror::Error)]
#[error(
    "hints of timers and old mail were not sent in time: the next sweep sends them again: unsent={0}"
)]
pub(super) struct Unsent(u64);

/// Sends hints of timers that are due before the next tick, and of old mail.
pub(super) async fn sweeper(
    cloud: &Cloud,
    left: Duration,
    metrics: &mut Metrics,
) -> Result<Value, Failed> {
    let deadline = Deadline::within(&**cloud.clock(), left);
    let period = cloud.deployment.sweep;
    let before = cloud.unsent();
    let swept = sweep(&cloud.engine, period, &cloud.cursor, deadline).await?;
    let rest = deadline.end.saturating_sub(cloud.clock().monotonic());
    let all = cloud.flush(rest).await;
    let sent = Sent {
        unsent: cloud.unsent() - before,
        all,
        unknown: cloud.take_unknown(),
    };
    let answer = answer(&swept, &sent)?;
    cloud.cursor.all_sent();
    metrics.hints += swept.reported as u64;
    Ok(answer)
}

/// What became of the hints of a sweep.
pub(super) struct Sent {
    /// Hints that were not sent, or not taken.
    pub(super) unsent: u64,
    /// Whether no hint is still in flight.
    pub(super) all: bool,
    /// Queues without a URL.
    pub(super) unknown: BTreeSet<Queue>,
}

/// The function's answer. Queues without a URL are named in it and fail nothing: a repetition
/// cannot send their hints, and an error would hide whether the others were sent.
pub(super) fn answer(swept: &Swept, sent: &Sent) -> Result<Value, Unsent> {
    if sent.unsent > 0 || !sent.all {
        // A CloudWatch alarm on errors of the function notifies the operator; the next tick sends all
        // hints again.
        return Err(Unsent(sent.unsent));
    }
    let unknown: Vec<String> = sent.unknown.iter().map(ToString::to_string).collect();
    Ok(json!({
        "timers": swept.timers,
        "ahead": swept.ahead,
        "stale_mail": swept.stale_mail,
        "reported": swept.reported,
        "whole": swept.whole,
        "unknown_queues": unknown,
    }))
}
