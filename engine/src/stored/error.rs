//! Why an object could not be read.

use std::fmt::Display;

use crate::keys::Key;
use crate::ports::BucketError;

/// Why an object could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A later release wrote it: this one leaves it alone.
    #[error("written by a newer release: format={format}, known={known}, key={key}")]
    Newer {
        /// The object.
        key: Key,
        /// Its format.
        format: u32,
        /// The newest this release reads.
        known: u32,
    },
    /// It cannot be read as what it should be. It is never overwritten.
    #[error("corrupt object: {why}: key={key}")]
    Corrupt {
        /// The object.
        key: Key,
        /// What is wrong with it.
        why: String,
    },
    /// The object that another one names does not exist.
    #[error("missing object: key={key}")]
    Missing {
        /// The object.
        key: Key,
    },
    /// The store failed.
    #[error(transparent)]
    Bucket(#[from] BucketError),
}

impl LoadError {
    /// The object at `key` cannot be read as what it should be.
    pub(crate) fn corrupt(key: &Key, why: impl Display) -> Self {
        Self::Corrupt {
            key: key.clone(),
            why: why.to_string(),
        }
    }
}
