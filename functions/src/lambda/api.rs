//! The API's shell.

use std::time::Duration;

use serde_json::Value;

use super::Failed;
use super::context::Cloud;
use crate::events::{Event, Malformed};
use crate::roles::api as answer;

/// Answers one request.
pub(super) async fn api(cloud: &Cloud, payload: Value, left: Duration) -> Result<Value, Failed> {
    match Event::read(payload) {
        Event::Request(request) => Ok(answer(&cloud.engine, &request?, left).await.to_lambda()),
        _ => Err(Malformed::new("not a request to a Function URL").into()),
    }
}
