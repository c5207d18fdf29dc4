//! The sweeper's shell.

use std::time::Duration;

use serde_json::{Value, json};

use super::Failed;
use super::context::Cloud;
use super::metrics::Metrics;
use crate::roles::{Deadline, sweep};

/// Hints that were not sent.
#[derive(Debug, thiserror::Error)]
#[error(
    "hints of timers and old mail were not sent in time: the next sweep sends them again: unsent={0}"
)]
struct Unsent(u64);

/// Sends hints of timers that are due before the next tick, and of old mail.
pub(super) async fn sweeper(
    cloud: &Cloud,
    left: Duration,
    metrics: &mut Metrics,
) -> Result<Value, Failed> {
    let deadline = Deadline::within(&**cloud.clock(), left);
    let period = cloud.deployment.sweep;
    let (before, began) = (cloud.unsent(), cloud.clock().now());
    let swept = sweep(&cloud.engine, period, &cloud.cursor, deadline).await?;
    let rest = deadline.end.saturating_sub(cloud.clock().monotonic());
    let all = cloud.flush(rest).await;
    let unsent = cloud.unsent() - before;
    if unsent > 0 || !all {
        // A CloudWatch alarm on errors of the function notifies the operator; the next tick sends all
        // hints again.
        return Err(Unsent(unsent).into());
    }
    if swept.cursor.is_none() {
        cloud.cursor.all_notified(began);
    }
    metrics.hints += swept.told as u64;
    Ok(json!({
        "timers": swept.timers,
        "ahead": swept.ahead,
        "stale_mail": swept.stale_mail,
        "told": swept.told,
        "whole": swept.cursor.is_none(),
    }))
}
