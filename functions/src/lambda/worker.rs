//! The worker's shell.

use std::time::Duration;

use serde_json::{Value, json};

use super::Failed;
use super::context::Cloud;
use super::metrics::Metrics;
use crate::events::Event;
use crate::roles::{Deadline, Deliveries, batch};

/// An event that is not made of messages, some of which failed: Lambda calls again.
#[derive(Debug, thiserror::Error)]
#[error("executions that this event names were not served: it is to come again")]
struct Again;

/// Runs what an event names; answers which messages are to come again.
pub(super) async fn worker(
    cloud: &Cloud,
    payload: Value,
    left: Duration,
    metrics: &mut Metrics,
) -> Result<Value, Failed> {
    let deadline = Deadline::within(&**cloud.clock(), left);
    let all = Deliveries::read(Event::read(payload), &cloud.root);
    for malformed in &all.malformed {
        tracing::error!(%malformed, "acknowledged: it would be no better the next time");
    }
    metrics.malformed += all.malformed.len() as u64;
    let done = batch(&cloud.engine, &cloud.seen, &all.records, deadline).await;
    metrics.batch(&done);
    if done.whole_failed {
        return Err(Again.into());
    }
    let failed = done.failed.iter();
    let failed: Vec<Value> = failed.map(|id| json!({"itemIdentifier": id})).collect();
    Ok(json!({"batchItemFailures": failed}))
}
