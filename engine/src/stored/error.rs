//! Reasons why an object could not be read.

use std::fmt::Display;

use crate::keys::Key;
use crate::ports::BucketError;

/// The reason why an object could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A later release wrote the object; this release leaves it as it is.
    #[error("written by a newer release: format={format}, known={known}, key={key}")]
    Newer {
        /// The key of the object.
        key: Key,
        /// The format of the object.
        format: u32,
        /// The newest format that this release reads.
        known: u32,
    },
    /// The object does not have the expected content. It is never overwritten.
    #[error("corrupt object: {why}: key={key}")]
    Corrupt {
        /// The key of the object.
        key: Key,
        /// The reason why it is corrupt.
        why: String,
    },
    /// The object that another one names does not exist.
    #[error("missing object: key={key}")]
    Missing {
        /// The key of the object.
        key: Key,
    },
    /// The store failed.
    #[error(transparent)]
    Bucket(#[from] BucketError),
}

impl LoadError {
    /// Builds the error for an object at `key` that does not have the expected content.
    pub(crate) fn corrupt(key: &Key, why: impl Display) -> Self {
        Self::Corrupt {
            key: key.clone(),
            why: why.to_string(),
        }
    }
}
