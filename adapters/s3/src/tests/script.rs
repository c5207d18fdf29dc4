//! A scripted store, in place of the network.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_sdk_s3::config::{Credentials, HttpClient, RuntimeComponents, SharedHttpClient};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use millpond::keys::{Key, Prefix};

use crate::{Options, S3Bucket};

/// One reply.
#[derive(Debug)]
pub(super) enum Answer {
    Says(u16, Vec<(&'static str, String)>, String),
    /// The connection breaks after the request was sent.
    Breaks,
    /// No reply ever arrives.
    Hangs,
}

impl Answer {
    pub(super) fn ok(etag: &str) -> Self {
        Self::Says(200, vec![("etag", etag.to_owned())], String::new())
    }

    pub(super) fn bare(status: u16) -> Self {
        Self::Says(status, Vec::new(), String::new())
    }

    pub(super) fn body(text: &str) -> Self {
        Self::Says(200, vec![("etag", "\"v\"".to_owned())], text.to_owned())
    }

    /// An error in the XML of S3.
    pub(super) fn error(status: u16, code: &str) -> Self {
        let xml = format!("<Error><Code>{code}</Code><Message>in words</Message></Error>");
        Self::Says(status, Vec::new(), xml)
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        if let Self::Says(_, headers, _) = &mut self {
            headers.push((name, value.into()));
        }
        self
    }
}

type Play = dyn FnMut(&Asked) -> Answer + Send;

/// A request as it was sent.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) method: String,
    pub(super) uri: String,
    pub(super) if_match: Option<String>,
    pub(super) if_none_match: Option<String>,
    /// The instant in its signature.
    pub(super) signed: Option<String>,
    pub(super) body: Vec<u8>,
}

/// A scripted HTTP client of the SDK.
#[derive(Clone)]
pub(super) struct Script {
    play: Arc<Mutex<Box<Play>>>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Script")
    }
}

impl Script {
    /// Replies in the given order; one request too many fails the test.
    pub(super) fn of(answers: impl IntoIterator<Item = Answer>) -> Self {
        let mut answers: VecDeque<_> = answers.into_iter().collect();
        Self::play(move |asked| {
            let none = || panic!("one request too many: {asked:?}");
            answers.pop_front().unwrap_or_else(none)
        })
    }

    pub(super) fn play(play: impl FnMut(&Asked) -> Answer + Send + 'static) -> Self {
        Self {
            play: Arc::new(Mutex::new(Box::new(play))),
            asked: Arc::default(),
        }
    }

    pub(super) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub(super) async fn bucket(&self) -> S3Bucket {
        self.open("s3://pond/root?region=eu-north-1").await
    }

    pub(super) async fn open(&self, url: &str) -> S3Bucket {
        let options: Options = url.parse().unwrap();
        let me = Some(Credentials::new("id", "secret", None, None, "a test"));
        let http = SharedHttpClient::new(self.clone());
        S3Bucket::open_over(&options, me, http).await.unwrap()
    }
}

impl HttpClient for Script {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Script {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let header = |name: &str| request.headers().get(name).map(str::to_owned);
        let asked = Asked {
            method: request.method().to_owned(),
            uri: request.uri().to_owned(),
            if_match: header("if-match"),
            if_none_match: header("if-none-match"),
            signed: header("x-amz-date"),
            body: request.body().bytes().unwrap_or_default().to_vec(),
        };
        self.asked.lock().unwrap().push(asked.clone());
        let answer = (self.play.lock().unwrap())(&asked);
        HttpConnectorFuture::new(async move {
            match answer {
                Answer::Says(status, headers, body) => {
                    // Requests of other tasks go out in between, so races over a network also occur
                    // here.
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    let mut response =
                        HttpResponse::new(status.try_into().unwrap(), SdkBody::from(body));
                    for (name, value) in headers {
                        response.headers_mut().insert(name, value);
                    }
                    Ok(response)
                }
                Answer::Breaks => Err(ConnectorError::io("connection reset by peer".into())),
                Answer::Hangs => std::future::pending().await,
            }
        })
    }
}

pub(super) fn key(text: &str) -> Key {
    Key::parse(text).unwrap()
}

pub(super) fn prefix(text: &str) -> Prefix {
    Prefix::parse(text).unwrap()
}
