//! The bucket in memory passes, on one thread and on many.

use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use millpond::keys::Key;
use millpond::ports::{Bucket, Expect, Fault};
use millpond_conformance::{Finding, Probe, Scale, Subject, conformance};
use millpond_host::TokioSpawner;
use millpond_testing::{CountingBucket, FaultBucket, Injection, ManualClock, MemoryBucket, Rule};

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH))
}

fn memory() -> Arc<MemoryBucket> {
    Arc::new(MemoryBucket::new(clock()))
}

#[test]
fn memory_passes_every_probe_on_one_task_and_is_left_empty() {
    let bucket = memory();
    let report = futures::executor::block_on(conformance(bucket.clone(), "probe")).unwrap();
    assert_eq!(report.passed, Probe::ALL);
    assert!(bucket.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn memory_passes_every_probe_with_threads_that_race() {
    let spawner = Arc::new(TokioSpawner::current());
    let subject = Subject::new(memory(), "").racing_on(spawner);
    let many = Scale {
        rounds: 50,
        ..Scale::default()
    };
    let report = subject.scaled(many).run().await.unwrap();
    assert_eq!(report.passed, Probe::ALL);
}

#[tokio::test]
async fn memory_passes_though_every_seventh_reply_is_lost() {
    let bucket = Arc::new(FaultBucket::new(memory(), clock()));
    for _ in 0..200 {
        bucket.add(Rule::new(Injection::LandedReplyLost).on_writes().skip(6));
    }
    let report = Subject::new(bucket, "probe").run().await.unwrap();
    assert_eq!(report.passed, Probe::ALL);
}

#[tokio::test]
async fn a_prefix_that_is_in_use_is_not_touched() {
    let inner = memory();
    let key = Key::parse("probe/mine").unwrap();
    let body = Bytes::from_static(b"mine");
    let _ = inner.write(&key, body, Expect::Absent).await.unwrap();
    let bucket = Arc::new(CountingBucket::new(inner));
    let violation = conformance(bucket.clone(), "probe").await.unwrap_err();
    assert!(matches!(violation.finding, Finding::Occupied { key: found } if found == key));
    assert_eq!((bucket.counts().writes, bucket.counts().deletes), (0, 0));
}

#[tokio::test]
async fn a_bucket_that_denies_is_reported_with_the_probe_and_the_fault() {
    let bucket = Arc::new(FaultBucket::new(memory(), clock()));
    bucket.add(Rule::new(Injection::Error(Fault::Denied)).under("probe/bytes/"));
    let violation = conformance(bucket, "probe").await.unwrap_err();
    assert_eq!(violation.probe, Probe::Bytes);
    let fault = match violation.finding {
        Finding::Failed(error) => error.fault,
        other => panic!("another finding: {other}"),
    };
    assert_eq!(fault, Fault::Denied);
}
