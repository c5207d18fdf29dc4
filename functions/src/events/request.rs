//! Requests to a Function URL.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use jiff::Timestamp;
use serde_json::Value;

use super::field::{at, must, number, text};
use super::malformed::Malformed;

/// A request to a Function URL (payload 2.0).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `POST`, ...
    pub method: String,
    /// The path, still encoded.
    pub path: String,
    /// The query, still encoded, without `?`.
    pub query: String,
    /// The headers; names in lower case, repeated ones joined by commas.
    pub headers: BTreeMap<String, String>,
    /// The body: the bytes that the caller sent, and signed.
    pub body: Bytes,
    /// The request's id.
    pub id: Option<String>,
    /// The time of the request.
    pub time: Option<Timestamp>,
    /// The caller's address.
    pub source_ip: Option<String>,
    /// The caller's ARN, if the URL requires IAM.
    pub caller: Option<String>,
}

impl Request {
    /// Reads the event of a Function URL.
    ///
    /// # Errors
    /// [`Malformed`]: it has no method, or its body is declared as base64 and is not.
    pub fn read(event: &Value) -> Result<Self, Malformed> {
        Self::fields(event).map_err(Malformed::new)
    }

    fn fields(event: &Value) -> Result<Self, String> {
        let body = at(event, &["body"]).and_then(Value::as_str);
        let body = body.unwrap_or_default();
        let encoded = at(event, &["isBase64Encoded"]) == Some(&Value::Bool(true));
        let body = if encoded {
            let bytes = STANDARD.decode(body);
            bytes.map_err(|error| format!("its `body` is not base64: {error}"))?
        } else {
            body.as_bytes().to_vec()
        };
        let headers = at(event, &["headers"]).and_then(Value::as_object);
        let headers = headers.into_iter().flatten();
        let context = |name| text(event, &["requestContext", name]);
        let time = number(event, &["requestContext", "timeEpoch"]);
        Ok(Self {
            method: must(event, &["requestContext", "http", "method"])?,
            path: text(event, &["rawPath"]).unwrap_or_else(|| "/".to_owned()),
            query: text(event, &["rawQueryString"]).unwrap_or_default(),
            headers: headers
                .filter_map(|(name, value)| {
                    Some((name.to_ascii_lowercase(), value.as_str()?.to_owned()))
                })
                .collect(),
            body: body.into(),
            id: context("requestId"),
            time: time.and_then(|ms| Timestamp::from_millisecond(i64::try_from(ms).ok()?).ok()),
            source_ip: text(event, &["requestContext", "http", "sourceIp"]),
            caller: text(event, &["requestContext", "authorizer", "iam", "userArn"]),
        })
    }

    /// A parameter of the query, decoded; the first of that name.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<String> {
        let mut all = form_urlencoded::parse(self.query.as_bytes());
        let found = all.find(|(known, _)| known == name);
        found.map(|(_, value)| value.into_owned())
    }

    /// A header, by its name in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let name = name.to_ascii_lowercase();
        self.headers.get(&name).map(String::as_str)
    }
}
