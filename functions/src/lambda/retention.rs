//! The retention's shell.

use std::time::Duration;

use futures::FutureExt as _;
use millpond::runtime::Stop;
use serde_json::{Value, json};

use super::Failed;
use super::context::Cloud;
use crate::roles::{Deadline, retention as retain};

/// Folds and forgets what is old enough, for as long as there is time; the next tick goes on.
pub(super) async fn retention(cloud: &Cloud, left: Duration) -> Result<Value, Failed> {
    let deadline = Deadline::within(&**cloud.clock(), left);
    let stop = Stop::default();
    let work = retain(&cloud.engine, &cloud.retention, &stop.gently).boxed();
    match deadline.keep(cloud.clock(), &stop, work).await {
        Some(retained) => Ok(serde_json::to_value(retained?)?),
        // What is under way is cut off: as after any crash, the next pass goes on.
        None => Ok(json!({ "more": true })),
    }
}
