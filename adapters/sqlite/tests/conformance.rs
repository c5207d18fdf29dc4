//! The file passes the suite that every bucket must pass.

use std::sync::Arc;

use millpond_conformance::{Probe, Scale, Subject};
use millpond_host::TokioSpawner;
use millpond_sqlite::{Durability, Options, SqliteBucket};

async fn passes(durability: Durability, prefix: &str) {
    let folder = tempfile::tempdir().expect("the system has a temporary folder");
    let options = Options {
        durability,
        ..Options::default()
    };
    let path = folder.path().join("pond.db");
    let bucket = SqliteBucket::open(path, options).expect("the file opens");
    let report = Subject::new(Arc::new(bucket), prefix)
        .racing_on(Arc::new(TokioSpawner::current()))
        .scaled(Scale::default())
        .run()
        .await;
    assert_eq!(report.expect("the file passes").passed, Probe::ALL);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_relaxed_file_passes_every_probe_with_threads_that_race() {
    passes(Durability::Relaxed, "").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_durable_file_passes_every_probe_with_threads_that_race() {
    passes(Durability::Fsync, "probe/").await;
}
