//! Reads objects that are split into lines.

use std::fmt;

use async_trait::async_trait;
use bytes::Bytes;

use crate::events::ObjectEvent;

/// Reads the objects of events: of any bucket, not only the engine's.
#[async_trait]
pub trait Objects: fmt::Debug + Send + Sync + 'static {
    /// Reads a whole object, in the event's version: by its version id, else only if its entity tag
    /// is still the event's. One request.
    ///
    /// # Errors
    /// [`ObjectsError`]: no answer, or access denied. The event is redelivered.
    async fn read(&self, object: &ObjectEvent, max: usize) -> Result<Fetched, ObjectsError>;
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// The whole object.
    Whole(Bytes),
    /// No object: it was deleted.
    Gone,
    /// A later version, which has an event of its own.
    Replaced,
    /// More bytes than the limit.
    TooLarge {
        /// The object's size.
        bytes: u64,
    },
}

/// An object that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read s3://{bucket}/{key}: {why}")]
pub struct ObjectsError {
    /// Its bucket.
    pub bucket: String,
    /// Its key.
    pub key: String,
    /// The cause.
    pub why: String,
}
