//! The retention's shell.

use std::time::Duration;

use futures::FutureExt as _;
use millpond::client::Stop;
use serde_json::{Value, json};

use super::context::Cloud;
use super::failed::Failed;
use super::metrics::Metrics;
use crate::roles::{Deadline, retention as retain};

/// Archives what is old enough, and frees keys, while there is time; the next tick continues.
pub(super) async fn retention(
    cloud: &Cloud,
    left: Duration,
    metrics: &mut Metrics,
) -> Result<Value, Failed> {
    let deadline = Deadline::within(&**cloud.clock(), left);
    let stop = Stop::default();
    let work = retain(&cloud.engine, &cloud.retention, &stop.gently).boxed();
    match deadline.keep(cloud.clock(), &stop, work).await {
        Some(retained) => {
            let retained = retained?;
            metrics.archived += retained.archived as u64;
            metrics.freed += retained.freed as u64;
            metrics.broken += retained.broken as u64;
            Ok(serde_json::to_value(retained)?)
        }
        // Work in progress is cut off, as in a crash: the next pass continues.
        None => Ok(json!({ "more": true })),
    }
}
