//! Function URLs.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{Request, Response};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use millpond_cloud::lambda::Function;
use millpond_cloud::url::{Auth, FunctionUrl};
use serde_json::Value;

use crate::stage::spec;

async fn call(
    url: &FunctionUrl,
    request: hyper::http::request::Builder,
    path: &str,
    body: &[u8],
) -> Response<Bytes> {
    let request = request.uri(format!("{}{path}", url.url()));
    let request = request
        .body(Full::new(Bytes::copy_from_slice(body)))
        .expect("it is well-formed");
    let client = Client::builder(TokioExecutor::new()).build_http();
    let (parts, body) = client
        .request(request)
        .await
        .expect("it answers")
        .into_parts();
    let body = body.collect().await.expect("the body comes").to_bytes();
    Response::from_parts(parts, body)
}

async fn open(auth: Auth) -> FunctionUrl {
    FunctionUrl::start(Function::new(spec()), auth)
        .await
        .expect("a port is free")
}

#[tokio::test]
async fn a_request_becomes_an_event_of_payload_two() {
    let url = open(Auth::Nobody).await;
    let request = Request::post("/")
        .header("Cookie", "a=1; b=2")
        .header("X-Two", "1")
        .header("X-Two", "2");
    let answer = call(
        &url,
        request.header("content-type", "application/json"),
        "/a%20b?x=1&x=%2B+&y",
        br#"{"k":"v"}"#,
    );
    let event: Value = serde_json::from_slice(answer.await.body()).expect("it is echoed");
    assert_eq!(
        (&event["version"], &event["rawPath"]),
        (&"2.0".into(), &"/a%20b".into())
    );
    assert_eq!(event["rawQueryString"], "x=1&x=%2B+&y");
    assert_eq!(event["queryStringParameters"]["x"], "1,+ ");
    assert_eq!(event["headers"]["x-two"], "1,2");
    assert_eq!(event["cookies"][1], "b=2");
    assert_eq!(event["requestContext"]["http"]["method"], "POST");
    assert_eq!(
        (&event["body"], &event["isBase64Encoded"]),
        (&r#"{"k":"v"}"#.into(), &false.into())
    );
}

#[tokio::test]
async fn a_body_that_is_no_text_is_encoded_both_ways() {
    let url = open(Auth::Nobody).await;
    let request = Request::post("/").header("content-type", "application/octet-stream");
    let answer = call(&url, request, "/", &[0, 1, 255]).await;
    let event: Value = serde_json::from_slice(answer.body()).expect("it is echoed");
    assert_eq!(
        (&event["body"], &event["isBase64Encoded"]),
        (&"AAH/".into(), &true.into())
    );
    let answer = call(&url, Request::get("/"), "/binary", b"").await;
    assert_eq!(
        (answer.status().as_u16(), answer.body().as_ref()),
        (201, &[0, 1, 2][..])
    );
    assert_eq!(answer.headers()["x-kind"], "odd");
    assert_eq!(answer.headers()["set-cookie"], "a=1");
}

#[tokio::test]
async fn a_response_without_status_is_a_body_and_a_failure_is_502() {
    let url = open(Auth::Nobody).await;
    let answer = call(&url, Request::get("/"), "/plain", b"").await;
    assert_eq!(
        (answer.status().as_u16(), answer.body().as_ref()),
        (200, &br#"{"hello":"world"}"#[..])
    );
    let spec = spec().variable("PROBE_INIT", "exit");
    let url = FunctionUrl::start(Function::new(spec), Auth::Nobody)
        .await
        .expect("a port is free");
    assert_eq!(
        call(&url, Request::get("/"), "/", b"")
            .await
            .status()
            .as_u16(),
        502
    );
}

#[tokio::test]
async fn with_iam_only_signed_requests_reach_the_function() {
    let url = open(Auth::Iam).await;
    assert_eq!(
        call(&url, Request::get("/"), "/", b"")
            .await
            .status()
            .as_u16(),
        403
    );
    let signed = "AWS4-HMAC-SHA256 Credential=AKIAX/20260101/us-east-1/lambda/aws4_request, SignedHeaders=host, Signature=0";
    let answer = call(
        &url,
        Request::get("/").header("authorization", signed),
        "/",
        b"",
    )
    .await;
    let event: Value = serde_json::from_slice(answer.body()).expect("it is echoed");
    assert_eq!(
        event["requestContext"]["authorizer"]["iam"]["accessKey"],
        "AKIAX"
    );
}
