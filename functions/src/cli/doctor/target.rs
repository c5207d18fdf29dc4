//! What the checks run on.

use std::sync::Arc;

use millpond::keys::Key;
use millpond::ports::{Bucket, Clock, Spawner};
use millpond_conformance::Finding;
use millpond_host::StoreTime;

use crate::bucket::Names;

/// The bucket, and what the checks need beside it.
pub(super) struct Target {
    pub(super) bucket: Arc<dyn Bucket>,
    pub(super) clock: Arc<dyn Clock>,
    /// Runs races on many threads; `None`: as one task.
    pub(super) spawner: Option<Arc<dyn Spawner>>,
    /// The store's clock, if its answers contain the time.
    pub(super) time: Option<Arc<StoreTime>>,
    /// How the store names permissions.
    pub(super) names: Names,
    /// Where all objects of the checks are written, and nothing else. Ends in `/`.
    pub(super) prefix: String,
}

impl Target {
    /// The key of an object of the checks.
    pub(super) fn key(&self, name: &str) -> Result<Key, Finding> {
        Ok(Key::parse(&format!("{}{name}", self.prefix))?)
    }
}
