//! The API's shell.

use std::time::Duration;

use futures::FutureExt as _;
use millpond::client::Stop;
use serde_json::Value;

use super::Failed;
use super::context::Cloud;
use crate::events::{Event, Malformed};
use crate::roles::{Deadline, Response, api as answer};

/// Bytes of an answer that Lambda carries.
const CARRIED: usize = 6 * 1024 * 1024;

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
    Ok(carried(&answered.unwrap_or_else(late)))
}

/// Lambda answers nothing in place of what is longer than it carries.
fn carried(response: &Response) -> Value {
    let whole = response.to_lambda();
    let bytes = response.body.len();
    // Quotes and the like take more than their byte in the answer: only long ones are worth a look.
    if bytes < CARRIED / 8 || whole.to_string().len() <= CARRIED {
        return whole;
    }
    let why = format!(
        "the answer has {bytes} bytes, and a function's carries {CARRIED} with its wrapping: read \
         it from the bucket, with the command `result`"
    );
    Response::problem(413, "too_large", &why).to_lambda()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(value: &str) -> Value {
        carried(&Response::json(200, &json!({ "value": value })))
    }

    #[test]
    fn an_answer_that_lambda_does_not_carry_is_a_problem() {
        let fits = "a".repeat(CARRIED - 200);
        assert_eq!(answer(&fits)["statusCode"], 200);
        let long = answer(&"a".repeat(CARRIED));
        // Each quote is four bytes in the answer.
        let quotes = answer(&"\"".repeat(CARRIED / 3));
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
