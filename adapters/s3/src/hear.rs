//! What came back from a request, before it is given a meaning.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::http::Response;
use millpond::client::chain;
use millpond::ports::{BucketError, Fault};

use crate::fault::Verb;
use crate::retry_after;
use crate::watch::Watch;

/// The name of a refusal because of our clock.
pub(crate) const SKEWED: &str = "RequestTimeTooSkewed";

/// What came back, where it was no success.
#[derive(Debug)]
pub(crate) enum Heard {
    /// The store, or something before it, answered.
    Said(Said),
    /// It certainly never left: no connection, or no credentials to sign it with.
    NeverSent(String),
    /// It left, and no answer came.
    Nothing(String),
    /// No request can be made of it.
    Unsendable(String),
}

/// An answer.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) status: u16,
    /// The error's name, empty if it has none.
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) request_id: Option<String>,
    pub(crate) retry_after: Option<Duration>,
}

impl Heard {
    /// Reads the SDK's error.
    pub(crate) fn of<E>(error: &SdkError<E, Response>, watch: &Watch) -> Self
    where
        E: ProvideErrorMetadata + Error + 'static,
    {
        let said = match error {
            SdkError::ConstructionFailure(_) => return Self::Unsendable(chain(error)),
            SdkError::ServiceError(context) => {
                let mut said = Said::of(context.raw(), watch);
                let meta = context.err().meta();
                meta.code().unwrap_or_default().clone_into(&mut said.code);
                let date = context.raw().headers().get("date");
                if said.status == 403 && said.code == SKEWED {
                    date.into_iter().for_each(|date| watch.refused(date));
                }
                meta.message()
                    .unwrap_or_default()
                    .clone_into(&mut said.message);
                said
            }
            SdkError::ResponseError(context) => {
                let mut said = Said::of(context.raw(), watch);
                said.message = chain(error);
                said
            }
            // A time-out, a broken connection, none, or credentials that cannot be had.
            _ if !watch.was_sent() || is_connect(error) => {
                return Self::NeverSent(chain(error));
            }
            _ => return Self::Nothing(chain(error)),
        };
        Self::Said(said)
    }

    /// The port's error, with what was said.
    pub(crate) fn into_error(
        self,
        fault: Fault,
        verb: Verb,
        key: impl fmt::Display,
    ) -> BucketError {
        let error = BucketError::new(fault, verb.as_str(), key);
        match self {
            Self::Said(said) => {
                let wait = said.retry_after;
                let error = error.because(said);
                match wait {
                    Some(wait) => error.after(wait),
                    None => error,
                }
            }
            Self::NeverSent(why) | Self::Nothing(why) | Self::Unsendable(why) => error.because(why),
        }
    }
}

impl Said {
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

impl fmt::Display for Said {
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

impl Error for Said {}

/// Whether no connection could be had: then nothing was sent on it.
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
