//! External clients: uploads, calls of the API, ticks.

use aws_sdk_s3::error::DisplayErrorContext;
use aws_sdk_s3::primitives::ByteStream;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{Method, Request};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use jiff::Timestamp;
use serde_json::Value;

use crate::lambda::Failure;
use crate::scene::Scene;
use crate::schedule::Ticking;

pub(crate) type Http = Client<HttpConnector, Full<Bytes>>;

/// Authorizes API calls, and names the caller. The emulated cloud checks only the name.
const SIGNED: &str = "AWS4-HMAC-SHA256 Credential=AKIAEMULATEDCLOUD/20260101/us-east-1/lambda/aws4_request, \
    SignedHeaders=host, Signature=00";

/// The API's response.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The body; null if it is not JSON.
    pub body: Value,
}

impl Scene {
    /// Uploads an object to the bucket.
    ///
    /// # Panics
    /// If the server rejects the request.
    pub async fn upload(&self, key: &str, body: impl Into<Bytes>) {
        let put = self.s3.put_object().bucket(&self.stack.bucket).key(key);
        let put = put.body(ByteStream::from(body.into())).send().await;
        if let Err(error) = put {
            panic!("{key} cannot be uploaded: {}", DisplayErrorContext(error));
        }
    }

    /// The keys of the bucket with a prefix.
    ///
    /// # Panics
    /// If the server rejects the request.
    pub async fn keys(&self, prefix: &str) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        loop {
            let list = self
                .s3
                .list_objects_v2()
                .bucket(&self.stack.bucket)
                .prefix(prefix)
                .set_start_after(keys.last().cloned());
            let page = match list.send().await {
                Ok(page) => page,
                Err(error) => panic!("{prefix} cannot be listed: {}", DisplayErrorContext(error)),
            };
            keys.extend(page.contents().iter().filter_map(|each| each.key.clone()));
            if page.is_truncated() != Some(true) {
                return keys;
            }
        }
    }

    /// Deletes an object of the bucket.
    ///
    /// # Panics
    /// If the server rejects the request.
    pub async fn remove(&self, key: &str) {
        let delete = self.s3.delete_object().bucket(&self.stack.bucket).key(key);
        if let Err(error) = delete.send().await {
            panic!("{key} cannot be deleted: {}", DisplayErrorContext(error));
        }
    }

    /// Sends a GET request to the API.
    ///
    /// # Panics
    /// If there is no response at its URL.
    pub async fn get(&self, path: &str) -> Reply {
        self.ask(Method::GET, path, Bytes::new()).await
    }

    /// Sends a POST request to the API.
    ///
    /// # Panics
    /// If there is no response at its URL.
    pub async fn post(&self, path: &str, body: &Value) -> Reply {
        self.ask(Method::POST, path, body.to_string().into()).await
    }

    async fn ask(&self, method: Method, path: &str, body: Bytes) -> Reply {
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.stack.url("ApiFunctionUrl")))
            .header("authorization", SIGNED)
            .header("content-type", "application/json")
            .body(Full::new(body))
            .expect("paths are well-formed");
        let answer = self.http.request(request).await.expect("the URL answers");
        let status = answer.status().as_u16();
        let body = answer.into_body().collect().await.expect("the body comes");
        let body = serde_json::from_slice(&body.to_bytes()).unwrap_or_default();
        Reply { status, body }
    }

    /// Starts an execution by the API; returns its eid.
    ///
    /// # Panics
    /// If the API does not start it.
    pub async fn start(&self, workflow: &str, key: &str, input: Value) -> String {
        let body = serde_json::json!({"workflow": workflow, "key": key, "input": input});
        let reply = self.post("/executions", &body).await;
        match reply.body["eid"].as_str() {
            Some(eid) => eid.to_owned(),
            None => panic!("{workflow} {key} was not started: {reply:?}"),
        }
    }

    /// Sends a message by the API.
    ///
    /// # Panics
    /// If the API rejects it.
    pub async fn signal(&self, eid: &str, channel: &str, payload: &Value) {
        let body = serde_json::json!({"channel": channel, "payload": payload});
        let reply = self.post(&format!("/executions/{eid}/signal"), &body).await;
        assert_eq!(reply.status, 202, "{eid} was not signalled: {reply:?}");
    }

    /// One tick of the sweeper, now.
    ///
    /// # Errors
    /// It failed.
    pub async fn sweep(&self) -> Result<Bytes, Failure> {
        self.stack
            .schedule("SweeperFunctionTick")
            .tick(Timestamp::now())
            .await
    }

    /// Runs the sweeper's schedule until it is dropped.
    #[must_use]
    pub fn sweeping(&self) -> Ticking {
        self.stack
            .schedule("SweeperFunctionTick")
            .every(self.setting.sweep)
    }

    /// One tick of the retention, now.
    ///
    /// # Errors
    /// It failed.
    pub async fn retain(&self) -> Result<Bytes, Failure> {
        self.stack
            .schedule("RetentionFunctionTick")
            .tick(Timestamp::now())
            .await
    }
}
