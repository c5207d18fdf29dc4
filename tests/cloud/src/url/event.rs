//! Converts an HTTP request to an event.

use std::collections::BTreeMap;

use aws_smithy_types::base64;
use bytes::Bytes;
use hyper::http::request::Parts;
use jiff::Timestamp;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

/// The event of a request. `caller` is the access key that signed it, if IAM requires one.
pub(crate) fn event(request: &Parts, body: &Bytes, host: &str, caller: Option<&str>) -> Value {
    let now = Timestamp::now();
    let path = request.uri.path();
    let query = request.uri.query().unwrap_or_default();
    let (headers, cookies) = headers(request);
    let mut context = json!({
        "accountId": if caller.is_some() { crate::ACCOUNT } else { "anonymous" },
        "apiId": "emulated",
        "domainName": host,
        "domainPrefix": "emulated",
        "http": {
            "method": request.method.as_str(),
            "path": path,
            "protocol": "HTTP/1.1",
            "sourceIp": "127.0.0.1",
            "userAgent": headers.get("user-agent").cloned().unwrap_or_default(),
        },
        "requestId": format!("{:x}", now.as_nanosecond()),
        "routeKey": "$default",
        "stage": "$default",
        "time": now.strftime("%d/%b/%Y:%H:%M:%S +0000").to_string(),
        "timeEpoch": now.as_millisecond(),
    });
    if let Some(key) = caller {
        let arn = format!("arn:aws:iam::{}:user/caller", crate::ACCOUNT);
        context["authorizer"] = json!({"iam": {"accessKey": key, "accountId": crate::ACCOUNT,
            "callerId": key, "userArn": arn, "userId": key}});
    }
    let mut event = json!({
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": query,
        "requestContext": context,
        "isBase64Encoded": false,
    });
    let kind = headers.get("content-type").cloned().unwrap_or_default();
    event["headers"] = json!(headers);
    if !cookies.is_empty() {
        event["cookies"] = json!(cookies);
    }
    if !query.is_empty() {
        event["queryStringParameters"] = parameters(query).into();
    }
    match std::str::from_utf8(body) {
        _ if body.is_empty() => {}
        Ok(text) if is_text(&kind) => event["body"] = text.into(),
        _ => {
            event["body"] = base64::encode(body).into();
            event["isBase64Encoded"] = true.into();
        }
    }
    event
}

/// Headers by lower-case name, several of one name joined by commas; cookies separately.
fn headers(request: &Parts) -> (BTreeMap<String, String>, Vec<String>) {
    let (mut headers, mut cookies) = (BTreeMap::<_, String>::new(), Vec::new());
    for (name, value) in &request.headers {
        let value = String::from_utf8_lossy(value.as_bytes());
        if name == "cookie" {
            cookies.extend(value.split(';').map(|cookie| cookie.trim().to_owned()));
            continue;
        }
        let all = headers.entry(name.as_str().to_owned()).or_default();
        if !all.is_empty() {
            all.push(',');
        }
        all.push_str(&value);
    }
    (headers, cookies)
}

/// The decoded query, several values of one name joined by commas.
fn parameters(query: &str) -> Map<String, Value> {
    let mut all = BTreeMap::<_, String>::new();
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let decoded = |text: &str| {
            percent_decode_str(&text.replace('+', " "))
                .decode_utf8_lossy()
                .into_owned()
        };
        let joined = all.entry(decoded(name)).or_default();
        if !joined.is_empty() {
            joined.push(',');
        }
        joined.push_str(&decoded(value));
    }
    all.into_iter()
        .map(|(name, value)| (name, value.into()))
        .collect()
}

/// Whether the content is passed on unchanged; other content is encoded.
fn is_text(kind: &str) -> bool {
    let kind = kind
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    kind.starts_with("text/")
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
        || [
            "application/json",
            "application/xml",
            "application/javascript",
            "application/x-www-form-urlencoded",
        ]
        .contains(&kind.as_str())
}
