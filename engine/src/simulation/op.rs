//! Requests as data: the request, the response and the course.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use crate::keys::{Key, Prefix};
use crate::ports::{BucketError, Expect, Fault, Object, Outcome, Page, Verb};

#[derive(Debug, Clone)]
pub(super) enum Op {
    Read(Key),
    Write(Key, Bytes, Expect),
    Delete(Key),
    List(Prefix, Option<Key>, usize),
}

#[derive(Debug)]
pub(super) enum Reply {
    Read(Result<Option<Object>, BucketError>),
    Write(Result<Outcome, BucketError>),
    Delete(Result<(), BucketError>),
    List(Result<Page, BucketError>),
}

/// The course that the scheduler chooses for one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Course {
    /// It happens and is answered.
    Land,
    /// It does not happen; the response is an error.
    NotSent,
    /// It happens; no response arrives.
    ReplyLost,
    /// A write is answered `Unknown` now and happens at that time; other requests do not happen.
    Late(Duration),
    /// It is under way until that time.
    Slow(Duration),
    /// It happens now and is answered at that time.
    SlowReply(Duration),
}

impl Op {
    pub(super) fn error(&self) -> Reply {
        let error = |verb, key: &dyn fmt::Display| {
            BucketError::new(Fault::Unavailable, verb, key).because("by the scheduler")
        };
        match self {
            Self::Read(key) => Reply::Read(Err(error(Verb::Read, key))),
            Self::Write(key, _, expect) => Reply::Write(Err(error(Verb::writing(expect), key))),
            Self::Delete(key) => Reply::Delete(Err(error(Verb::Delete, key))),
            Self::List(prefix, ..) => Reply::List(Err(error(Verb::List, prefix))),
        }
    }

    /// The caller's result if no response arrives.
    pub(super) fn lost(&self) -> Reply {
        match self {
            Self::Write(..) => Reply::Write(Ok(Outcome::Unknown)),
            Self::Read(_) | Self::Delete(_) | Self::List(..) => self.error(),
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(key) => write!(f, "read   {key}"),
            Self::Write(key, body, Expect::Absent) => write!(f, "create {key} ({} B)", body.len()),
            Self::Write(key, body, Expect::At(version)) => {
                write!(f, "cas    {key} ({} B) at {}", body.len(), version.as_str())
            }
            Self::Delete(key) => write!(f, "delete {key}"),
            Self::List(prefix, ..) => write!(f, "list   {prefix}"),
        }
    }
}

/// The course; true if the reply was under way; true if no caller waits.
pub(super) struct Described(pub(super) Course, pub(super) bool, pub(super) bool);

impl fmt::Display for Described {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.2, self.1, self.0) {
            (true, ..) => f.write_str("[late, nobody waits for it]"),
            (_, true, _) => f.write_str("[its reply comes now]"),
            (_, _, Course::Land) => Ok(()),
            (_, _, course) => write!(f, "[{course:?}]"),
        }
    }
}
