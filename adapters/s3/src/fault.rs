//! Maps a reply of the store to an outcome or fault of the port (docs/protocol.md, What a bucket
//! must give).
//! One table (S2):
//!
//! | reply | create | replace | read | delete | list |
//! |---|---|---|---|---|---|
//! | 412 | Refused | Refused | Invalid | Invalid | Invalid |
//! | 404 `NoSuchBucket` | Gone | Gone | Gone | Gone | Gone |
//! | 404 `NoSuchKey` | Unavailable | Refused | absent | done | Unavailable |
//! | 404 otherwise (perhaps of a proxy) | Unavailable | Refused | Unavailable | Unavailable | Unavailable |
//! | 409 | retried | retried | Unavailable | Unavailable | Unavailable |
//! | 503 `SlowDown` and similar codes, 429 | Throttled | Throttled | Throttled | Throttled | Throttled |
//! | 507, or an exhausted quota | Full | Full | Full | Full | Full |
//! | 400 `RequestTimeout`: the store did not receive the body | Unavailable | Unavailable | Unavailable | Unavailable | Unavailable |
//! | 403 `RequestTimeTooSkewed`: our clock is wrong, and this reply corrects it | Unavailable | Unavailable | Unavailable | Unavailable | Unavailable |
//! | 501, or `NotImplemented` | Invalid | Invalid | Invalid | Invalid | Invalid |
//! | other 5xx | **Unknown** | **Unknown** | Unavailable | Unavailable | Unavailable |
//! | 401, 403, credentials in a 400 | Denied | Denied | Denied | Denied | Denied |
//! | 3xx, or another region in a 400 | Denied | Denied | Denied | Denied | Denied |
//! | other 4xx (`EntityTooLarge`, `KeyTooLongError`) | Invalid | Invalid | Invalid | Invalid | Invalid |
//! | unreadable 2xx, or 2xx without `ETag` | **Unknown** | **Unknown** | Unavailable | Unavailable | Unavailable |
//! | never sent: no connection, no credentials yet | Unavailable | Unavailable | Unavailable | Unavailable | Unavailable |
//! | sent, no reply: timeout, broken connection | **Unknown** | **Unknown** | Unavailable | Unavailable | Unavailable |
//! | cannot be built as a request | Invalid | Invalid | Invalid | Invalid | Invalid |
//!
//! Two rows need more than the status of the reply. A 5xx can come from any server between us and the
//! bucket, and the write may have landed: only an error whose code shows that the store turned the
//! request away (`SlowDown`, a full store, an unsupported feature) had no effect. A 404 without the
//! code `NoSuchKey` proves nothing about the object: reading it as *absent* could lose a message.

use millpond::ports::{Fault, Verb};

use crate::reply::{ErrorReply, Reply, SKEWED};

/// The meaning of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The state of the key does not match the write's expectation.
    Refused,
    /// The object does not exist.
    Absent,
    /// Another write was in progress, and this one had no effect.
    Conflict,
    /// A write may have landed.
    Unknown,
    /// The operation had no effect, for this reason.
    Trouble(Fault),
}

/// Error codes that ask the caller to slow down.
const SLOWER: [&str; 7] = [
    "SlowDown",
    "SlowDownRead",
    "SlowDownWrite",
    "Throttling",
    "ThrottlingException",
    "RequestLimitExceeded",
    "TooManyRequests",
];

/// Error codes for exhausted space.
const FULL: [&str; 4] = [
    "QuotaExceeded",
    "XMinioStorageFull",
    "XMinioAdminBucketQuotaExceeded",
    "InsufficientStorage",
];

/// Error codes of a 400 about the caller's identity or region.
const STRANGER: [&str; 5] = [
    "ExpiredToken",
    "InvalidToken",
    "TokenRefreshRequired",
    "AuthorizationHeaderMalformed",
    "IllegalLocationConstraintException",
];

/// Looks the reply up in the table.
pub(crate) fn meaning(verb: Verb, reply: &Reply) -> Meaning {
    match reply {
        Reply::Error(error) => answered(verb, error),
        Reply::NeverSent(_) => Meaning::Trouble(Fault::Unavailable),
        Reply::Lost(_) => unsure(verb),
        Reply::Unsendable(_) => Meaning::Trouble(Fault::Invalid),
    }
}

fn answered(verb: Verb, error: &ErrorReply) -> Meaning {
    let code = error.code.as_str();
    match error.status {
        200..=299 => unsure(verb),
        404 if code == "NoSuchBucket" => Meaning::Trouble(Fault::Gone),
        404 => match verb {
            Verb::Replace => Meaning::Refused,
            Verb::Read | Verb::Delete if code == "NoSuchKey" => Meaning::Absent,
            Verb::Create | Verb::Read | Verb::Delete | Verb::List => {
                Meaning::Trouble(Fault::Unavailable)
            }
        },
        409 if verb.is_write() => Meaning::Conflict,
        409 => Meaning::Trouble(Fault::Unavailable),
        412 if verb.is_write() => Meaning::Refused,
        429 => Meaning::Trouble(Fault::Throttled),
        400 | 503 if SLOWER.contains(&code) => Meaning::Trouble(Fault::Throttled),
        507 => Meaning::Trouble(Fault::Full),
        _ if FULL.contains(&code) => Meaning::Trouble(Fault::Full),
        400 if code == "RequestTimeout" => Meaning::Trouble(Fault::Unavailable),
        403 if code == SKEWED => Meaning::Trouble(Fault::Unavailable),
        400 if STRANGER.contains(&code) => Meaning::Trouble(Fault::Denied),
        501 => Meaning::Trouble(Fault::Invalid),
        500..=599 => unsure(verb),
        401 | 403 | 300..=399 => Meaning::Trouble(Fault::Denied),
        _ => Meaning::Trouble(Fault::Invalid),
    }
}

/// The outcome is unknown for a write; the other operations are safe to retry.
const fn unsure(verb: Verb) -> Meaning {
    if verb.is_write() {
        Meaning::Unknown
    } else {
        Meaning::Trouble(Fault::Unavailable)
    }
}
