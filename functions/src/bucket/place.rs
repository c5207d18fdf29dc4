//! What a scheme implements: where its bucket is, and how it is opened.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use millpond::ports::{Bucket, Clock};

use super::Behind;

/// Where a bucket of one scheme is. Its `Display` is a URL that names the same place.
#[async_trait]
pub(super) trait Place: fmt::Debug + fmt::Display + Send + Sync {
    /// Opens the bucket.
    ///
    /// # Errors
    /// [`OpenError`] names the place and what is wrong with it.
    async fn open(&self, options: OpenOptions) -> Result<Opened, OpenError>;

    /// The folder of the doorbells of the processes that share the bucket on this machine.
    fn bells(&self) -> Option<PathBuf> {
        None
    }

    /// The bucket and the prefix, as events of S3 name them; `None` for any other place.
    fn root(&self) -> Option<(&str, &str)> {
        None
    }
}

/// How a bucket is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OpenOptions {
    /// Acknowledges a write only after it has reached the disk. A remote bucket always does.
    pub(crate) fsync: bool,
    /// Creates a file on first use. A remote bucket must exist.
    pub(crate) create: bool,
    /// Reads a file completely first, and rejects a damaged one.
    pub(crate) check: bool,
}

/// An open bucket, and its clock.
pub(crate) struct Opened {
    pub(crate) bucket: Arc<dyn Bucket>,
    pub(crate) clock: Arc<dyn Clock>,
    /// What operators can ask of the store, beyond the port.
    pub(crate) behind: Behind,
}

/// Why a bucket was not opened: the error of its adapter.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct OpenError(Box<dyn Error + Send + Sync>);

impl OpenError {
    pub(super) fn new(source: impl Error + Send + Sync + 'static) -> Self {
        Self(Box::new(source))
    }
}
