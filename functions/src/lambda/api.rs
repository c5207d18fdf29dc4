//! The API's shell.

use std::time::Duration;

use futures::FutureExt as _;
use millpond::runtime::Stop;
use serde_json::Value;

use super::Failed;
use super::context::Cloud;
use crate::events::{Event, Malformed};
use crate::roles::{Deadline, Response, api as answer};

/// Answers one request, while there is time.
pub(super) async fn api(cloud: &Cloud, payload: Value, left: Duration) -> Result<Value, Failed> {
    let request = match Event::read(payload) {
        Event::Request(Ok(request)) => request,
        Event::Request(Err(malformed)) => {
            return Ok(Response::problem(400, "invalid", &malformed).to_lambda());
        }
        _ => return Err(Malformed::new("not a request to a Function URL").into()),
    };
    let deadline = Deadline::within(&**cloud.clock(), left);
    let time = left.saturating_sub(deadline.handover);
    let work = answer(&cloud.engine, &request, time).boxed();
    let answered = deadline.keep(cloud.clock(), &Stop::default(), work).await;
    let late = || Response::problem(503, "storage", &"the store did not answer in time");
    Ok(answered.unwrap_or_else(late).to_lambda())
}
