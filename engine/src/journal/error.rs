//! Why a journal could not be read or written.

use crate::keys::Key;
use crate::ports::BucketError;

/// Why a journal could not be read.
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
    /// The head names an object that is not there.
    #[error("missing object: key={key}")]
    Missing {
        /// The object.
        key: Key,
    },
    /// The store failed.
    #[error(transparent)]
    Bucket(#[from] BucketError),
}

/// Why a commit did not happen, as far as the writer can tell.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// Somebody else's commit came first: lease is lost.
    #[error("another run's commit came first: key={key}, commit={commit}")]
    Lost {
        /// The head.
        key: Key,
        /// The commit that did not happen.
        commit: u64,
    },
    /// It may have happened, and no answer could be had in time. The run ends without
    /// another write; its causes stay.
    #[error("a commit's injection is unknown: key={key}, commit={commit}")]
    Unknown {
        /// The head.
        key: Key,
        /// The commit.
        commit: u64,
    },
    /// The store failed before anything was written.
    #[error(transparent)]
    Bucket(#[from] BucketError),
}
