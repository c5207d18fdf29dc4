//! Objects that are cut into lines.

use std::fmt;

use async_trait::async_trait;
use bytes::Bytes;

use crate::events::ObjectEvent;

/// Where objects are read that events tell of: any bucket, not the engine's.
#[async_trait]
pub trait Objects: fmt::Debug + Send + Sync + 'static {
    /// Reads an object whole, in the version that the event tells of: by its version id, else
    /// only if its entity tag is still the event's. One request.
    ///
    /// # Errors
    /// [`ObjectsError`]: no answer, or access denied. It is tried again with the event.
    async fn read(&self, object: &ObjectEvent, most: usize) -> Result<Fetched, ObjectsError>;
}

/// What there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// All of it.
    Whole(Bytes),
    /// Nothing: it was deleted.
    Gone,
    /// A later version, of which an event of its own tells.
    Replaced,
    /// More than was asked for.
    TooLarge {
        /// How much.
        bytes: u64,
    },
}

/// An object that was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("s3://{bucket}/{key} cannot be read: {why}")]
pub struct ObjectsError {
    /// Its bucket.
    pub bucket: String,
    /// Its key.
    pub key: String,
    /// Why.
    pub why: String,
}
