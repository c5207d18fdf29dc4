//! The suite that every bucket must pass, on the crate's store in memory, races included.

use std::sync::Arc;

use millpond::ports::{Bucket, Clock, Spawner};
use millpond_conformance::{Probe, Subject};
use millpond_host::{SystemClock, TokioSpawner};
use millpond_object_store::ObjectStoreBucket;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_store_in_memory_keeps_what_a_bucket_must() {
    let clock = Arc::new(SystemClock::new()) as Arc<dyn Clock>;
    let bucket = Arc::new(ObjectStoreBucket::memory(clock)) as Arc<dyn Bucket>;
    let spawner = Arc::new(TokioSpawner::current()) as Arc<dyn Spawner>;
    let subject = Subject::new(bucket, "suite/").racing_on(spawner);
    let report = subject.run().await.expect("it keeps them");
    assert_eq!(report.passed, Probe::ALL);
}
