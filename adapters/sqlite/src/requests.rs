//! The requests to the writing thread.

use bytes::Bytes;
use futures::channel::oneshot;
use millpond::keys::Key;
use millpond::ports::{BucketError, Expect, Outcome};

/// One request, with the channel for its reply.
#[derive(Debug)]
pub(crate) enum Request {
    Write {
        key: Key,
        body: Bytes,
        expect: Expect,
        answer: oneshot::Sender<Result<Outcome, BucketError>>,
    },
    Delete {
        key: Key,
        answer: oneshot::Sender<Result<(), BucketError>>,
    },
}

impl Request {
    /// The number of bytes that it adds to the group.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Write { body, .. } => body.len(),
            Self::Delete { .. } => 0,
        }
    }
}
