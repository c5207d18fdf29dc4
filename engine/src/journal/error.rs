//! Reasons why a commit failed.

use crate::keys::Key;
use crate::ports::BucketError;

/// The reason for a failed commit, as far as the writer can determine it.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// Another writer committed first: the lease is lost.
    #[error("another run's commit came first: key={key}, commit={commit}")]
    Lost {
        /// The key of the head.
        key: Key,
        /// The number of the commit that did not happen.
        commit: u64,
    },
    /// The commit may have landed, but no answer arrived in time. The run ends without another
    /// write; its causes remain.
    #[error("the outcome of a commit is unknown: key={key}, commit={commit}")]
    Unknown {
        /// The key of the head.
        key: Key,
        /// The number of the commit.
        commit: u64,
    },
    /// The store failed before anything was written.
    #[error(transparent)]
    Bucket(#[from] BucketError),
}
