//! Refusals in the services' own format.

use hyper::StatusCode;
use hyper::http::request::Parts;
use serde_json::json;

use crate::http::{Answer, of_kind};

/// A 403 in the format of S3 or SQS.
pub(crate) fn refusal(request: &Parts, why: &str) -> Answer {
    if request.headers.contains_key("x-amz-target") {
        let body = json!({"__type": "com.amazonaws.sqs#AccessDeniedException", "Message": why});
        return of_kind(
            StatusCode::FORBIDDEN,
            "application/x-amz-json-1.0",
            body.to_string(),
        );
    }
    // The reason names only actions and ARNs, but keys may contain any character.
    let why = why.replace('&', "&amp;").replace('<', "&lt;");
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>AccessDenied</Code><Message>{why}</Message></Error>"
    );
    of_kind(StatusCode::FORBIDDEN, "application/xml", body)
}
