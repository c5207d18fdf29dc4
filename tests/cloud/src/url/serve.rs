//! The server of a function's URL.

use std::io;

use hyper::StatusCode;
use hyper::http::request::Parts;

use crate::http::{Server, of_kind};
use crate::lambda::{Failure, Function};
use crate::url::answer::{answer, bad};
use crate::url::event::event;

/// The required authentication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Auth {
    /// `AWS_IAM`: signed requests. As in LocalStack, only the presence of a signature is checked,
    /// not its value.
    Iam,
    /// `NONE`: no authentication.
    Nobody,
}

/// A function's URL. It closes when this is dropped.
#[derive(Debug)]
pub struct FunctionUrl(Server);

impl FunctionUrl {
    /// Serves a function.
    ///
    /// # Errors
    /// No port is available.
    pub async fn start(function: Function, auth: Auth) -> io::Result<Self> {
        let server = Server::start(move |request| {
            let function = function.clone();
            async move {
                let (parts, body) = request.into_parts();
                let caller = caller(&parts);
                if auth == Auth::Iam && caller.is_none() {
                    let body = r#"{"Message":"Forbidden"}"#;
                    return of_kind(StatusCode::FORBIDDEN, "application/json", body);
                }
                let host = parts
                    .headers
                    .get("host")
                    .and_then(|host| host.to_str().ok());
                let host = host.unwrap_or_default();
                let caller = caller.filter(|_| auth == Auth::Iam);
                let event = event(&parts, &body, host, caller.as_deref());
                match function.invoke(event.to_string()).await {
                    Ok(response) => answer(&response),
                    Err(Failure::Throttled { .. }) => {
                        let body =
                            r#"{"Reason":"ConcurrentInvocationLimitExceeded","Type":"User"}"#;
                        of_kind(StatusCode::TOO_MANY_REQUESTS, "application/json", body)
                    }
                    Err(Failure::EventTooLarge { .. }) => {
                        let body = r#"{"Message":"Request must be smaller than 6291456 bytes"}"#;
                        of_kind(StatusCode::PAYLOAD_TOO_LARGE, "application/json", body)
                    }
                    Err(_) => bad(),
                }
            }
        });
        Ok(Self(server.await?))
    }

    /// The URL.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.0.address)
    }
}

/// The access key that signed a request.
fn caller(request: &Parts) -> Option<String> {
    let header = request.headers.get("authorization")?.to_str().ok()?;
    let rest = header.strip_prefix("AWS4-HMAC-SHA256 Credential=")?;
    let key = rest.split('/').next()?;
    (!key.is_empty()).then(|| key.to_owned())
}
