//! A small HTTP server for complete requests and complete responses, on a free port of this
//! machine.

use std::io;
use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// A complete request.
pub(crate) type Asked = Request<Bytes>;
pub(crate) type Answer = Response<Full<Bytes>>;

/// An extension of a response: the connection is closed without a response.
#[derive(Debug, Clone, Copy)]
struct HungUp;

/// Creates a response that is never sent.
pub(crate) fn hang_up() -> Answer {
    let mut answer = Answer::default();
    answer.extensions_mut().insert(HungUp);
    answer
}

/// A server. It and its connections end when this is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    listening: JoinHandle<()>,
}

impl Server {
    /// Serves on a free port until dropped.
    pub(crate) async fn start<H, F>(handle: H) -> io::Result<Self>
    where
        H: Fn(Asked) -> F + Clone + Send + 'static,
        F: Future<Output = Answer> + Send + 'static,
    {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let listening = tokio::spawn(async move {
            // The connections end together with the listener's task.
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(connection(stream, handle.clone()));
                while connections.try_join_next().is_some() {}
            }
        });
        Ok(Self { address, listening })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn connection<H, F>(stream: TcpStream, handle: H)
where
    H: Fn(Asked) -> F + Clone + Send + 'static,
    F: Future<Output = Answer> + Send + 'static,
{
    // Small responses must not wait for each other.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| {
        let handle = handle.clone();
        async move {
            let (parts, body) = request.into_parts();
            let answer = match body.collect().await {
                Ok(body) => handle(Request::from_parts(parts, body.to_bytes())).await,
                Err(error) => text(StatusCode::BAD_REQUEST, &error.to_string()),
            };
            match answer.extensions().get::<HungUp>() {
                Some(HungUp) => Err(io::Error::from(io::ErrorKind::ConnectionAborted)),
                None => Ok(answer),
            }
        }
    });
    // A client that closes its connection is not an error.
    let _ = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// A response in plain text.
pub(crate) fn text(status: StatusCode, body: &str) -> Answer {
    of_kind(status, "text/plain", body.to_owned())
}

/// A response with a content type.
pub(crate) fn of_kind(status: StatusCode, kind: &str, body: impl Into<Bytes>) -> Answer {
    Response::builder()
        .status(status)
        .header("content-type", kind)
        .body(Full::new(body.into()))
        .expect("status and header are well-formed")
}
