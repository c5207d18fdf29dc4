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
pub(crate) struct Heard {
    /// A request was sent, or may have been.
    pub(crate) sent: bool,
    /// The status of the response.
    pub(crate) status: Option<u16>,
    /// The delay that the store requests before the next attempt.
    pub(crate) retry_after: Option<Duration>,
}

tokio::task_local! {
    static HEARD: RefCell<Heard>;
}

/// Runs one call of the crate, and returns its result with the recorded reply.
pub(crate) async fn overhear<T>(call: impl Future<Output = T>) -> (T, Heard) {
    let heard = async {
        let answer = call.await;
        (answer, HEARD.with(RefCell::take))
    };
    HEARD.scope(RefCell::default(), heard).await
}

fn note(heard: Heard) {
    // Outside a call (for example a prefetch of credentials) there is no record to update.
    let _ = HEARD.try_with(|cell| cell.replace(heard));
}

/// Creates HTTP clients that record replies.
#[derive(Debug, Default)]
pub(crate) struct Listening {
    /// The host of the store: replies of other hosts (tokens, metadata) are not recorded.
    pub(crate) host: String,
}

impl HttpConnector for Listening {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let inner = ReqwestConnector::default().connect(options)?;
        let host = self.host.clone();
        Ok(HttpClient::new(Ear { inner, host }))
    }
}

#[derive(Debug)]
struct Ear {
    inner: HttpClient,
    host: String,
}

#[async_trait]
impl HttpService for Ear {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let ours = request
            .uri()
            .authority()
            .is_some_and(|authority| authority.as_str() == self.host);
        if !ours {
            return self.inner.execute(request).await;
        }
        note(Heard {
            sent: true,
            ..Heard::default()
        });
        let answer = self.inner.execute(request).await;
        note(match &answer {
            Ok(response) => Heard {
                sent: true,
                status: Some(response.status().as_u16()),
                retry_after: response
                    .headers()
                    .get("retry-after")
                    .and_then(|value| value.to_str().ok()?.trim().parse().ok())
                    .map(Duration::from_secs),
            },
            Err(error) => Heard {
                sent: error.kind() != HttpErrorKind::Connect,
                ..Heard::default()
            },
        });
        answer
    }
}
