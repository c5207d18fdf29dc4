//! Refusals in the services' own words.

use hyper::StatusCode;
use hyper::http::request::Parts;
use serde_json::json;

use crate::http::{Answer, of_kind};

/// 403, as S3 or SQS say it.
pub(crate) fn refusal(request: &Parts, why: &str) -> Answer {
    if request.headers.contains_key("x-amz-target") {
        let body = json!({"__type": "com.amazonaws.sqs#AccessDeniedException", "Message": why});
        return of_kind(
            StatusCode::FORBIDDEN,
            "application/x-amz-json-1.0",
            body.to_string(),
        );
    }
    // The reason names actions and ARNs only, but keys may hold anything.
    let why = why.replace('&', "&amp;").replace('<', "&lt;");
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>AccessDenied</Code><Message>{why}</Message></Error>"
    );
    of_kind(StatusCode::FORBIDDEN, "application/xml", body)
}
