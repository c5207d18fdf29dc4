//! The status and headers of the store's reply, recorded inside the HTTP client.
//!
//! The crate's errors contain neither headers nor whether a request was sent at all.

use std::cell::RefCell;
use std::time::Duration;

use async_trait::async_trait;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
    ReqwestConnector,
};

/// The record of the last request to the store in one call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reply {
    /// A request was sent, or may have been.
    pub(crate) sent: bool,
    /// The status of the response.
    pub(crate) status: Option<u16>,
    /// The delay that the store requests before the next attempt.
    pub(crate) retry_after: Option<Duration>,
}

tokio::task_local! {
    static REPLY: RefCell<Reply>;
}

/// Runs one call of the crate, and returns its result with the recorded reply.
pub(crate) async fn recording<T>(call: impl Future<Output = T>) -> (T, Reply) {
    let reply = async {
        let answer = call.await;
        (answer, REPLY.with(RefCell::take))
    };
    REPLY.scope(RefCell::default(), reply).await
}

fn note(reply: Reply) {
    // Outside a call (for example a prefetch of credentials) there is no record to update.
    let _ = REPLY.try_with(|cell| cell.replace(reply));
}

/// Creates HTTP clients that record replies.
#[derive(Debug, Default)]
pub(crate) struct RecordingConnector {
    /// The host of the store: replies of other hosts (tokens, metadata) are not recorded.
    pub(crate) host: String,
}

impl HttpConnector for RecordingConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let inner = ReqwestConnector::default().connect(options)?;
        let host = self.host.clone();
        Ok(HttpClient::new(RecordingClient { inner, host }))
    }
}

#[derive(Debug)]
struct RecordingClient {
    inner: HttpClient,
    host: String,
}

#[async_trait]
impl HttpService for RecordingClient {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let ours = request
            .uri()
            .authority()
            .is_some_and(|authority| authority.as_str() == self.host);
        if !ours {
            return self.inner.execute(request).await;
        }
        note(Reply {
            sent: true,
            ..Reply::default()
        });
        let answer = self.inner.execute(request).await;
        note(match &answer {
            Ok(response) => Reply {
                sent: true,
                status: Some(response.status().as_u16()),
                retry_after: response
                    .headers()
                    .get("retry-after")
                    .and_then(|value| value.to_str().ok()?.trim().parse().ok())
                    .map(Duration::from_secs),
            },
            Err(error) => Reply {
                sent: error.kind() != HttpErrorKind::Connect,
                ..Reply::default()
            },
        });
        answer
    }
}
