//! The reply to a request, before it is interpreted.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::http::Response;
use millpond::client::chain;
use millpond::ports::{BucketError, Fault, Verb};

use crate::retry_after;
use crate::watch::Watch;

/// The error code for a clock that is off.
pub(crate) const SKEWED: &str = "RequestTimeTooSkewed";

/// The result of a request that did not succeed.
#[derive(Debug)]
pub(crate) enum Reply {
    /// The store, or a server in front of it, answered with an error.
    Error(ErrorReply),
    /// The request was certainly not sent: no connection, or no credentials to sign it.
    NeverSent(String),
    /// The request was sent, and no complete reply arrived.
    Lost(String),
    /// No request can be built.
    Unsendable(String),
}

#[derive(Debug, Default)]
pub(crate) struct ErrorReply {
    pub(crate) status: u16,
    /// The error's name, empty if it has none.
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) request_id: Option<String>,
    pub(crate) retry_after: Option<Duration>,
}

impl Reply {
    /// Reads the SDK's error.
    pub(crate) fn of<E>(error: &SdkError<E, Response>, watch: &Watch) -> Self
    where
        E: ProvideErrorMetadata + Error + 'static,
    {
        let reply = match error {
            SdkError::ConstructionFailure(_) => return Self::Unsendable(chain(error)),
            SdkError::ServiceError(context) => {
                let mut reply = ErrorReply::of(context.raw(), watch);
                let meta = context.err().meta();
                meta.code().unwrap_or_default().clone_into(&mut reply.code);
                let date = context.raw().headers().get("date");
                if reply.status == 403 && reply.code == SKEWED {
                    date.into_iter().for_each(|date| watch.refused(date));
                }
                meta.message()
                    .unwrap_or_default()
                    .clone_into(&mut reply.message);
                reply
            }
            SdkError::ResponseError(context) => {
                let mut reply = ErrorReply::of(context.raw(), watch);
                reply.message = chain(error);
                reply
            }
            // A timeout, a broken connection, no connection, or no credentials.
            _ if !watch.was_sent() || is_connect(error) => {
                return Self::NeverSent(chain(error));
            }
            _ => return Self::Lost(chain(error)),
        };
        Self::Error(reply)
    }

    /// The error of the port, with the reply as its source.
    pub(crate) fn into_error(
        self,
        fault: Fault,
        verb: Verb,
        key: impl fmt::Display,
    ) -> BucketError {
        let error = BucketError::new(fault, verb, key);
        match self {
            Self::Error(reply) => {
                let wait = reply.retry_after;
                let error = error.because(reply);
                match wait {
                    Some(wait) => error.after(wait),
                    None => error,
                }
            }
            Self::NeverSent(why) | Self::Lost(why) | Self::Unsendable(why) => error.because(why),
        }
    }
}

impl ErrorReply {
    fn of(response: &Response, watch: &Watch) -> Self {
        let header = |name: &str| response.headers().get(name);
        Self {
            status: response.status().as_u16(),
            request_id: header("x-amz-request-id").map(str::to_owned),
            retry_after: header("retry-after")
                .and_then(|value| retry_after::parse(value, header("date"), watch.now())),
            ..Self::default()
        }
    }
}

impl fmt::Display for ErrorReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the store answers {}", self.status)?;
        for part in [&self.code, &self.message] {
            if !part.is_empty() {
                write!(f, ", {part}")?;
            }
        }
        match &self.request_id {
            Some(id) => write!(f, " (request {id})"),
            None => Ok(()),
        }
    }
}

impl Error for ErrorReply {}

/// Whether no connection could be opened: then nothing was sent.
fn is_connect<E: Error + 'static>(error: &SdkError<E, Response>) -> bool {
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = next {
        if let Some(client) = error.downcast_ref::<hyper_util::client::legacy::Error>() {
            return client.is_connect();
        }
        next = error.source();
    }
    false
}
