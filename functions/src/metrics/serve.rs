//! `GET /metrics` and `GET /health`.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONTENT_TYPE};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use super::collect::Meters;

/// Connections at the same time: a scraper needs one.
const CONNECTIONS: usize = 16;
/// The format of the metrics.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

/// The address cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot serve metrics: the system refused the address; choose another one: address={address}"
)]
pub(crate) struct MetricsError {
    address: SocketAddr,
    source: io::Error,
}

/// Serves the metrics until dropped.
#[derive(Debug)]
pub(crate) struct MetricsServer {
    /// Where it listens: with port 0, the system has chosen the port.
    pub(crate) address: SocketAddr,
    listening: JoinHandle<()>,
}

impl MetricsServer {
    /// Listens at `address`. Needs a tokio runtime.
    ///
    /// # Errors
    /// [`MetricsError`]: the system refuses the address.
    pub(crate) async fn start(address: SocketAddr, meters: Meters) -> Result<Self, MetricsError> {
        let refused = |source| MetricsError { address, source };
        let listener = TcpListener::bind(address).await.map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let listening = tokio::spawn(listen(listener, meters));
        Ok(Self { address, listening })
    }
}

impl Drop for MetricsServer {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn listen(listener: TcpListener, meters: Meters) {
    // The connections end together with this task.
    let mut connections = JoinSet::new();
    loop {
        if connections.len() >= CONNECTIONS {
            connections.join_next().await;
        }
        // An error is of one connection, or the process lacks descriptors until one is closed.
        if let Ok((stream, _)) = listener.accept().await {
            connections.spawn(connection(stream, meters.clone()));
        } else {
            tokio::task::yield_now().await;
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn connection(stream: TcpStream, meters: Meters) {
    let service = service_fn(move |request: Request<Incoming>| {
        let response = answer(request.method(), request.uri().path(), &meters);
        async move { Ok::<_, Infallible>(response) }
    });
    // A client that closes its connection, or sends no complete header in time, is not an error.
    let _ = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// The response to one request.
pub(super) fn answer(method: &Method, path: &str, meters: &Meters) -> Response<Full<Bytes>> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        let mut refused = text(StatusCode::METHOD_NOT_ALLOWED, "use GET\n".to_owned());
        let allow = hyper::header::HeaderValue::from_static("GET, HEAD");
        refused.headers_mut().insert(ALLOW, allow);
        return refused;
    }
    match path {
        "/metrics" => match meters.text() {
            Ok(metrics) => of_kind(StatusCode::OK, OPEN_METRICS, metrics),
            Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")),
        },
        "/health" => match meters.trouble() {
            None => text(StatusCode::OK, "ok\n".to_owned()),
            // The reason may name keys of the bucket, so it is in the log only.
            Some(_) => text(
                StatusCode::SERVICE_UNAVAILABLE,
                "the bucket cannot be polled\n".to_owned(),
            ),
        },
        _ => text(
            StatusCode::NOT_FOUND,
            "use /metrics or /health\n".to_owned(),
        ),
    }
}

fn text(status: StatusCode, body: String) -> Response<Full<Bytes>> {
    of_kind(status, TEXT, body)
}

fn of_kind(status: StatusCode, kind: &'static str, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let kind = hyper::header::HeaderValue::from_static(kind);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
