//! The wrappers of every open bucket.

use std::sync::Arc;

use millpond::ports::{Bucket, Clock};
use millpond_wrappers::{Limits, Metered, Throttled, Traced};

/// A bucket with its wrappers.
pub(crate) struct Wrapped {
    pub(crate) bucket: Arc<dyn Bucket>,
    /// The count of requests that were sent to the store.
    pub(crate) metered: Arc<Metered>,
}

impl Wrapped {
    /// Wraps `bucket` in a count, and a `far` one (neither in memory nor in a local file)
    /// in a request log and a throttle. The count is innermost: requests that wait in the throttle
    /// and are not sent are not counted.
    pub(crate) fn new(bucket: Arc<dyn Bucket>, clock: &Arc<dyn Clock>, far: bool) -> Self {
        let metered = Arc::new(Metered::new(bucket));
        let mut bucket = Arc::clone(&metered) as Arc<dyn Bucket>;
        if far {
            bucket = Arc::new(Traced::new(bucket, Arc::clone(clock)));
            bucket = Arc::new(Throttled::new(bucket, Arc::clone(clock), Limits::default()));
        }
        Self { bucket, metered }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::executor::block_on;
    use millpond::keys::Key;
    use millpond_testing::{FaultBucket, Injection, ManualClock, MemoryBucket, Rule};

    use super::*;

    #[test]
    fn a_far_bucket_is_not_asked_again_before_it_wants_to_be_and_a_near_one_is() {
        for far in [true, false] {
            let start = "2026-01-01T00:00:00Z".parse().unwrap();
            let clock = Arc::new(ManualClock::new(start)) as Arc<dyn Clock>;
            let memory = Arc::new(MemoryBucket::new(Arc::clone(&clock)));
            let faults = Arc::new(FaultBucket::new(memory, Arc::clone(&clock)));
            let wait = Some(Duration::from_secs(30));
            faults.add(Rule::new(Injection::SlowDown(wait)));
            let inner = Arc::clone(&faults) as Arc<dyn Bucket>;
            let wrapped = Wrapped::new(inner, &clock, far);
            let key = Key::parse("x/07/a").unwrap();
            let read = || block_on(wrapped.bucket.read(&key));
            assert!(read().is_err());
            assert_eq!(read().is_err(), far);
            let sent = if far { 1 } else { 2 };
            assert_eq!(faults.requests(), sent);
            let total = wrapped.metered.usage().total();
            assert_eq!((total.requests, total.throttled), (sent, 1));
        }
    }
}
