//! Converts a function's response to an HTTP response.

use aws_smithy_types::base64;
use bytes::Bytes;
use http_body_util::Full;
use hyper::{Response, StatusCode};
use serde_json::Value;

use crate::http::{Answer, of_kind};

/// The HTTP response. A value without a status code is a JSON body, as Lambda infers; an invalid
/// response is the function's error, and therefore 502.
pub(crate) fn answer(response: &[u8]) -> Answer {
    let Ok(value) = serde_json::from_slice::<Value>(response) else {
        return bad();
    };
    if value.get("statusCode").is_none() {
        return of_kind(StatusCode::OK, "application/json", value.to_string());
    }
    read(&value).unwrap_or_else(bad)
}

fn read(value: &Value) -> Option<Answer> {
    let status = u16::try_from(value["statusCode"].as_u64()?).ok()?;
    let mut answer = Response::builder().status(status);
    for (name, value) in value["headers"].as_object().into_iter().flatten() {
        answer = answer.header(name, value.as_str()?);
    }
    for cookie in value["cookies"].as_array().into_iter().flatten() {
        answer = answer.header("set-cookie", cookie.as_str()?);
    }
    let body = value["body"].as_str().unwrap_or_default();
    let body = match value["isBase64Encoded"].as_bool().unwrap_or(false) {
        true => Bytes::from(base64::decode(body).ok()?),
        false => Bytes::from(body.to_owned()),
    };
    answer.body(Full::new(body)).ok()
}

/// Lambda's response for a failed function.
pub(crate) fn bad() -> Answer {
    of_kind(
        StatusCode::BAD_GATEWAY,
        "application/json",
        "Internal Server Error",
    )
}
