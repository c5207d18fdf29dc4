//! Maps the store's replies to outcomes and faults of the port.

use millpond::ports::{BucketError, Expect, Fault, Outcome, Verb, Version};
use object_store::{Error, PutResult, UpdateVersion};

use crate::reply::Reply;

/// What a store uses as a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// A generation (GCS): each write creates a new one.
    Generation,
    /// An `ETag` (Azure, memory).
    ETag,
}

impl Naming {
    pub(crate) fn version(self, etag: Option<&str>, generation: Option<&str>) -> Option<Version> {
        match self {
            Self::Generation => generation.map(Version::new),
            Self::ETag => etag.map(Version::new),
        }
    }

    pub(crate) fn condition(self, version: &Version) -> UpdateVersion {
        let name = Some(version.as_str().to_owned());
        match self {
            Self::Generation => UpdateVersion {
                e_tag: None,
                version: name,
            },
            Self::ETag => UpdateVersion {
                e_tag: name,
                version: None,
            },
        }
    }
}

/// How one attempt of a write ended.
#[derive(Debug)]
pub(crate) enum Tried {
    Ended(Outcome),
    /// The write conflicted with a concurrent one: it had no effect, and must be retried.
    Conflict(Error),
    Failed(Fault, Error),
}

/// The text of the error and all its causes: the store's own code is in the response body.
fn words(error: &Error) -> String {
    let mut words = error.to_string();
    let mut next = std::error::Error::source(error);
    while let Some(error) = next {
        words.push('\n');
        words.push_str(&error.to_string());
        next = error.source();
    }
    words
}

fn mentions(error: &Error, codes: &[&str]) -> bool {
    let words = words(error);
    codes.iter().any(|code| words.contains(code))
}

/// Whether the bucket itself is missing, not an object in it.
fn is_gone(error: &Error) -> bool {
    let codes = ["NoSuchBucket", "ContainerNotFound", "ContainerBeingDeleted"];
    mentions(error, &codes)
}

/// Codes that reject all requests of the caller, not this write.
const TOO_MANY: [&str; 4] = [
    "SlowDown",
    "ServerBusy",
    "rateLimitExceeded",
    "TooManyRequests",
];

/// The outcome of a write.
pub(crate) fn write(
    naming: Naming,
    expect: &Expect,
    answer: Result<PutResult, Error>,
    reply: &Reply,
) -> Tried {
    let error = match answer {
        Ok(put) => {
            let version = naming.version(put.e_tag.as_deref(), put.version.as_deref());
            // The write landed, but the reply has no version: the caller reads it.
            return Tried::Ended(version.map_or(Outcome::Unknown, Outcome::Landed));
        }
        Err(error) => error,
    };
    match reply.status {
        Some(412) => Tried::Ended(Outcome::Refused),
        Some(409) if is_gone(&error) => Tried::Failed(Fault::Gone, error),
        Some(409) if mentions(&error, &["BlobAlreadyExists"]) => Tried::Ended(Outcome::Refused),
        Some(409) => Tried::Conflict(error),
        Some(404) if is_gone(&error) => Tried::Failed(Fault::Gone, error),
        Some(404) if matches!(expect, Expect::At(_)) => Tried::Ended(Outcome::Refused),
        Some(404) => Tried::Failed(Fault::Gone, error),
        Some(401 | 403) => Tried::Failed(Fault::Denied, error),
        Some(429) => Tried::Failed(Fault::Throttled, error),
        Some(503) if mentions(&error, &TOO_MANY) => Tried::Failed(Fault::Throttled, error),
        // This also covers an unreadable success and a redirect.
        Some(408 | 500.. | ..=399) => Tried::Ended(Outcome::Unknown),
        Some(_) => Tried::Failed(Fault::Invalid, error),
        // A store in memory, which sends no request.
        None if matches!(
            error,
            Error::AlreadyExists { .. } | Error::Precondition { .. }
        ) =>
        {
            Tried::Ended(Outcome::Refused)
        }
        None if reply.sent => Tried::Ended(Outcome::Unknown),
        None => Tried::Failed(unsent(&error), error),
    }
}

fn unsent(error: &Error) -> Fault {
    match error {
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => Fault::Denied,
        Error::InvalidPath { .. } | Error::NotSupported { .. } => Fault::Invalid,
        _ => Fault::Unavailable,
    }
}

/// The fault of a failed read, delete or list; `None` if the object does not exist.
pub(crate) fn failed(error: &Error, reply: &Reply) -> Option<Fault> {
    match error {
        _ if is_gone(error) => Some(Fault::Gone),
        Error::NotFound { .. } => None,
        _ => Some(match reply.status {
            Some(429 | 503) => Fault::Throttled,
            Some(401 | 403) => Fault::Denied,
            Some(400 | 405..=407 | 411..=428) => Fault::Invalid,
            Some(404) => Fault::Gone,
            Some(_) => Fault::Unavailable,
            None => unsent(error),
        }),
    }
}

/// The error of the port, with the recorded reply.
pub(crate) fn error(
    fault: Fault,
    verb: Verb,
    key: impl std::fmt::Display,
    source: Error,
    reply: &Reply,
) -> BucketError {
    let error = BucketError::new(fault, verb, key).because(source);
    match reply.retry_after {
        Some(wait) if fault == Fault::Throttled => error.after(wait),
        _ => error,
    }
}
