//! Why a commit did not happen.

use crate::keys::Key;
use crate::ports::BucketError;

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
