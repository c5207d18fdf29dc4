//! What the writing thread is asked.

use bytes::Bytes;
use futures::channel::oneshot;
use millpond::keys::Key;
use millpond::ports::{BucketError, Expect, Outcome};

/// One request, and who waits for its answer.
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
    /// Bytes that the group grows by.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Write { body, .. } => body.len(),
            Self::Delete { .. } => 0,
        }
    }
}
