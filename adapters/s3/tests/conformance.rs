//! Real servers pass the suite that every bucket must pass, below a prefix and without.

use std::sync::Arc;

use millpond_conformance::{Probe, Scale, Subject};
use millpond_host::TokioSpawner;
use millpond_s3::S3Bucket;
use millpond_servers::{Place, Server};

/// The servers share a machine with all tests: one round of each race, but all 64 racers, and keys
/// for two pages (`doctor` asks for three).
fn scale() -> Scale {
    Scale {
        keys: 1_100,
        rounds: 1,
        ..Scale::default()
    }
}

async fn passes(place: &Place, prefix: &str) {
    let options = place.url.parse().expect("it is a good URL");
    let bucket = S3Bucket::open_as(&options, place.id, place.secret).await;
    let report = Subject::new(Arc::new(bucket.expect("it opens")), prefix)
        .racing_on(Arc::new(TokioSpawner::current()))
        .scaled(scale())
        .run()
        .await;
    assert_eq!(report.expect("the server passes").passed, Probe::ALL);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn localstack_passes_every_probe_with_threads_that_race() {
    let server = Server::localstack();
    let place = server.fresh_bucket().await;
    passes(&place, "").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn seaweed_passes_every_probe_with_threads_that_race() {
    let server = Server::seaweed();
    let place = server.fresh_bucket().await;
    passes(&place.below("team/pond"), "probe/").await;
}
