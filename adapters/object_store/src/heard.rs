//! What the store said, overheard between the client and the network.
//!
//! The crate's errors keep neither headers nor whether a request was sent at all.

use std::cell::RefCell;
use std::time::Duration;

use async_trait::async_trait;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
    ReqwestConnector,
};

/// What was overheard of the last request to the store in one call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    /// A request went out, or may have.
    pub(crate) sent: bool,
    /// The status of its answer.
    pub(crate) status: Option<u16>,
    /// How long the store wants to be left alone.
    pub(crate) retry_after: Option<Duration>,
}

tokio::task_local! {
    static HEARD: RefCell<Heard>;
}

/// Runs one call of the crate, and tells what was heard meanwhile.
pub(crate) async fn overhear<T>(call: impl Future<Output = T>) -> (T, Heard) {
    let heard = async {
        let answer = call.await;
        (answer, HEARD.with(RefCell::take))
    };
    HEARD.scope(RefCell::default(), heard).await
}

fn note(heard: Heard) {
    // Outside a call (credentials that are fetched ahead) nobody listens.
    let _ = HEARD.try_with(|cell| cell.replace(heard));
}

/// Makes clients that can be overheard.
#[derive(Debug, Default)]
pub(crate) struct Listening {
    /// Where the store is: other hosts (tokens, metadata) are not listened to.
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
