//! The worker's shell.

use std::time::Duration;

use serde_json::{Value, json};

use super::context::Cloud;
use super::failed::Failed;
use super::metrics::Metrics;
use crate::events::Event;
use crate::roles::{Deadline, Deliveries, batch};

/// An event without messages, which failed in part: Lambda retries it as a whole.
#[derive(Debug, thiserror::Error)]
#[error("executions of this event were not served: the event must be retried")]
struct Unserved;

/// Runs the executions of an event; returns the messages that must be delivered again.
pub(super) async fn worker(
    cloud: &Cloud,
    payload: Value,
    left: Duration,
    metrics: &mut Metrics,
) -> Result<Value, Failed> {
    let deadline = Deadline::within(&**cloud.clock(), left);
    let all = Deliveries::read(Event::read(payload), &cloud.root);
    for malformed in &all.malformed {
        tracing::error!(%malformed, "invalid record: acknowledged, because a retry cannot succeed");
    }
    metrics.malformed += all.malformed.len() as u64;
    let done = batch(&cloud.engine, &cloud.seen, &all.records, deadline).await;
    metrics.batch(&done);
    if done.whole_failed {
        return Err(Unserved.into());
    }
    let failed = done.failed.iter();
    let failed: Vec<Value> = failed.map(|id| json!({"itemIdentifier": id})).collect();
    Ok(json!({"batchItemFailures": failed}))
}
