//! The Runtime API of one instance.

use std::io;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http_body_util::Full;
use hyper::{Method, Response, StatusCode};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::http::{Answer, Asked, Server, of_kind};
use crate::lambda::MOST_BYTES;

/// An invocation on its way to the process.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) request_id: String,
    pub(crate) event: Bytes,
    /// Milliseconds since 1970.
    pub(crate) deadline_ms: u128,
    pub(crate) arn: String,
    pub(crate) trace: String,
}

/// A message from the process.
#[derive(Debug)]
pub(crate) enum Event {
    /// It waits for an invocation.
    Ready,
    /// It returns a response.
    Response(Bytes),
    /// It returned a response that is too large.
    TooLarge(usize),
    /// It returns an error.
    Error { kind: String, message: String },
    /// It failed to initialize.
    InitError { kind: String, message: String },
}

/// The API's server side.
#[derive(Debug)]
pub(crate) struct Api {
    server: Server,
    work: mpsc::UnboundedSender<Work>,
    events: mpsc::UnboundedReceiver<Event>,
}

/// The state of the request handler.
#[derive(Debug)]
struct Endpoint {
    work: tokio::sync::Mutex<mpsc::UnboundedReceiver<Work>>,
    events: mpsc::UnboundedSender<Event>,
    /// The current invocation of the process.
    current: Mutex<Option<String>>,
}

impl Api {
    pub(crate) async fn start() -> io::Result<Self> {
        let (work, works) = mpsc::unbounded_channel();
        let (sender, events) = mpsc::unbounded_channel();
        let endpoint = Arc::new(Endpoint {
            work: tokio::sync::Mutex::new(works),
            events: sender,
            current: Mutex::default(),
        });
        let server = Server::start(move |asked| {
            let endpoint = Arc::clone(&endpoint);
            async move { endpoint.answer(asked).await }
        });
        Ok(Self {
            server: server.await?,
            work,
            events,
        })
    }

    /// The value of `AWS_LAMBDA_RUNTIME_API`.
    pub(crate) fn address(&self) -> String {
        self.server.address.to_string()
    }

    pub(crate) fn offer(&self, work: Work) {
        self.work
            .send(work)
            .expect("the server lives as long as this");
    }

    pub(crate) async fn event(&mut self) -> Event {
        self.events
            .recv()
            .await
            .expect("the server lives as long as this")
    }
}

impl Endpoint {
    async fn answer(&self, asked: Asked) -> Answer {
        let path = asked.uri().path().to_owned();
        let Some(path) = path.strip_prefix("/2018-06-01/runtime/") else {
            return refusal(StatusCode::NOT_FOUND, "NotFound", "no such path");
        };
        let parts: Vec<_> = path.split('/').collect();
        match (asked.method(), parts.as_slice()) {
            (&Method::GET, ["invocation", "next"]) => self.next().await,
            (&Method::POST, ["invocation", id, "response"]) => self.finish(
                id,
                |body| match body.len() > MOST_BYTES {
                    true => Event::TooLarge(body.len()),
                    false => Event::Response(body),
                },
                asked.into_body(),
            ),
            (&Method::POST, ["invocation", id, "error"]) => self.finish(
                id,
                |body| {
                    let (kind, message) = error(&body);
                    Event::Error { kind, message }
                },
                asked.into_body(),
            ),
            (&Method::POST, ["init", "error"]) => {
                let (kind, message) = error(asked.body());
                self.send(Event::InitError { kind, message });
                accepted()
            }
            _ => refusal(StatusCode::NOT_FOUND, "NotFound", "no such path"),
        }
    }

    async fn next(&self) -> Answer {
        self.send(Event::Ready);
        let Some(work) = self.work.lock().await.recv().await else {
            return refusal(StatusCode::GONE, "Gone", "the function is removed");
        };
        *self.current.lock().expect("no holder panics") = Some(work.request_id.clone());
        Response::builder()
            .header("content-type", "application/json")
            .header("lambda-runtime-aws-request-id", work.request_id)
            .header("lambda-runtime-deadline-ms", work.deadline_ms.to_string())
            .header("lambda-runtime-invoked-function-arn", work.arn)
            .header("lambda-runtime-trace-id", work.trace)
            .body(Full::new(work.event))
            .expect("ids are well-formed headers")
    }

    fn finish(&self, id: &str, event: impl FnOnce(Bytes) -> Event, body: Bytes) -> Answer {
        let mut current = self.current.lock().expect("no holder panics");
        if current.as_deref() != Some(id) {
            return refusal(
                StatusCode::BAD_REQUEST,
                "InvalidRequestID",
                "not the invocation you have",
            );
        }
        *current = None;
        let event = event(body);
        let large = matches!(event, Event::TooLarge(_));
        self.send(event);
        match large {
            true => refusal(
                StatusCode::PAYLOAD_TOO_LARGE,
                "RequestEntityTooLarge",
                "at most 6 MB",
            ),
            false => accepted(),
        }
    }

    fn send(&self, event: Event) {
        // The receiver of an instance that is being killed may be dropped.
        let _ = self.events.send(event);
    }
}

/// The kind and message of an error as runtimes report it.
fn error(body: &[u8]) -> (String, String) {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    let field = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    match value.is_object() {
        true => (field("errorType"), field("errorMessage")),
        false => (
            "Unknown".to_owned(),
            String::from_utf8_lossy(body).into_owned(),
        ),
    }
}

fn accepted() -> Answer {
    of_kind(
        StatusCode::ACCEPTED,
        "application/json",
        r#"{"status":"OK"}"#,
    )
}

fn refusal(status: StatusCode, kind: &str, message: &str) -> Answer {
    let body = serde_json::json!({"errorType": kind, "errorMessage": message});
    of_kind(status, "application/json", body.to_string())
}
