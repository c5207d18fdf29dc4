//! The sweeper's shell.

use std::time::Duration;

use serde_json::{Value, json};

use super::Failed;
use super::context::Cloud;
use super::metrics::Metrics;
use crate::roles::{Deadline, sweep};

/// Passes on what is due until the next tick, and old mail.
pub(super) async fn sweeper(
    cloud: &Cloud,
    left: Duration,
    metrics: &mut Metrics,
) -> Result<Value, Failed> {
    let deadline = Deadline::within(&**cloud.clock(), left);
    let period = cloud.deployment.sweep;
    let swept = sweep(&cloud.engine, period, &cloud.cursor, deadline).await?;
    metrics.hints += (swept.alarms + swept.ahead + swept.stale_mail) as u64;
    Ok(json!({
        "alarms": swept.alarms,
        "ahead": swept.ahead,
        "stale_mail": swept.stale_mail,
        "whole": swept.cursor.is_none(),
    }))
}
