//! The folder passes the suite that every bucket must pass.

use std::sync::Arc;

use millpond_conformance::{Probe, Scale, Subject};
use millpond_disk::{DiskBucket, Durability, Options};
use millpond_host::TokioSpawner;

async fn passes(durability: Durability, prefix: &str, scale: Scale) {
    let folder = tempfile::tempdir().expect("the system has a temporary folder");
    let options = Options {
        durability,
        ..Options::default()
    };
    let bucket = DiskBucket::open(folder.path(), options).expect("the folder opens");
    let report = Subject::new(Arc::new(bucket), prefix)
        .racing_on(Arc::new(TokioSpawner::current()))
        .scaled(scale)
        .run()
        .await;
    assert_eq!(report.expect("the folder passes").passed, Probe::ALL);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_relaxed_folder_passes_every_probe_with_threads_that_race() {
    passes(Durability::Relaxed, "", Scale::default()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_durable_folder_passes_every_probe_with_threads_that_race() {
    // Every request waits for the disk: fewer of them.
    let scale = Scale {
        keys: 300,
        racers: 16,
        rounds: 4,
        ..Scale::default()
    };
    passes(Durability::Fsync, "probe/", scale).await;
}
