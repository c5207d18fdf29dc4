//! Tests of the wrappers, on memory and manual time.

mod bill;
mod metered;
mod traced;

use std::sync::Arc;

use millpond::keys::Key;
use millpond::ports::{Bucket, Clock};
use millpond_testing::{FaultBucket, ManualClock, MemoryBucket};

/// A store with scripted failures, and its clock.
pub(crate) fn store() -> (Arc<FaultBucket>, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(
        "2026-01-01T00:00:00Z".parse().expect("an instant"),
    ));
    let memory = MemoryBucket::new(Arc::clone(&clock) as Arc<dyn Clock>);
    let memory = Arc::new(memory) as Arc<dyn Bucket>;
    let faults = FaultBucket::new(memory, Arc::clone(&clock) as Arc<dyn Clock>);
    (Arc::new(faults), clock)
}

pub(crate) fn key(text: &str) -> Key {
    Key::parse(text).expect("tests use good keys")
}
