//! The API's shell.

use std::time::Duration;

use futures::FutureExt as _;
use millpond::client::Stop;
use serde_json::Value;

use super::context::Cloud;
use super::failed::Failed;
use crate::events::{Event, Malformed};
use crate::roles::{Deadline, Response, api as answer};

/// Largest response of Lambda, in bytes.
const MAX_RESPONSE: usize = 6 * 1024 * 1024;

/// Answers one request while there is time.
pub(super) async fn api(cloud: &Cloud, payload: Value, left: Duration) -> Result<Value, Failed> {
    let request = match Event::read(payload) {
        Event::Request(Ok(request)) => request,
        Event::Request(Err(malformed)) => {
            return Ok(Response::problem(400, "invalid", &malformed).to_lambda());
        }
        _ => return Err(Malformed::new("the event is not a request to a Function URL").into()),
    };
    let deadline = Deadline::within(&**cloud.clock(), left);
    let time = left.saturating_sub(deadline.handover);
    let work = answer(&cloud.engine, &request, time).boxed();
    let answered = deadline.keep(cloud.clock(), &Stop::default(), work).await;
    let late = || {
        Response::problem(
            503,
            "storage",
            &"the store did not answer in time: retry the request",
        )
    };
    Ok(limited(&answered.unwrap_or_else(late)))
}

/// Replaces a response that is too large: Lambda would drop it.
fn limited(response: &Response) -> Value {
    let whole = response.to_lambda();
    let bytes = response.body.len();
    // Escaping makes quotes and control characters longer: only long bodies can exceed the limit.
    if bytes < MAX_RESPONSE / 8 || whole.to_string().len() <= MAX_RESPONSE {
        return whole;
    }
    let why = format!(
        "the response is too large for AWS Lambda: read it from the bucket with the command `result`: \
         bytes={bytes}, max={MAX_RESPONSE}"
    );
    Response::problem(413, "too_large", &why).to_lambda()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(value: &str) -> Value {
        limited(&Response::json(200, &json!({ "value": value })))
    }

    #[test]
    fn a_response_that_is_too_large_for_lambda_is_a_problem() {
        let fits = "a".repeat(MAX_RESPONSE - 200);
        assert_eq!(answer(&fits)["statusCode"], 200);
        let long = answer(&"a".repeat(MAX_RESPONSE));
        // Each quote takes four bytes in the response.
        let quotes = answer(&"\"".repeat(MAX_RESPONSE / 3));
        for refused in [long, quotes] {
            assert_eq!(refused["statusCode"], 413);
            let body = refused["body"].as_str().unwrap();
            assert!(
                body.contains("too_large") && body.contains("`result`"),
                "{body}"
            );
        }
    }
}
