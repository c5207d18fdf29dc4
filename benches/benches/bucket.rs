//! `cargo bench -p millpond-benches --bench bucket`: the time of one request on each store.

use std::sync::Arc;

use bytes::Bytes;
use criterion::{Criterion, criterion_group, criterion_main};
use futures::future::join_all;
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, Expect, Outcome};
use millpond_benches::{Store, open};
use tokio::runtime::Runtime;

const STORES: [(&str, Store); 3] = [
    ("memory", Store::Memory),
    ("relaxed", Store::Relaxed),
    ("fsync", Store::Fsync),
];

fn key(n: u64) -> Key {
    Key::parse(&format!("bench/{:02x}/{n}", n % 256)).expect("a key")
}

async fn create(bucket: &Arc<dyn Bucket>, n: u64, body: &Bytes) {
    let landed = bucket
        .write(&key(n), body.clone(), Expect::Absent)
        .await
        .expect("an answer");
    assert!(matches!(landed, Outcome::Landed(_)), "created once");
}

/// One request after the other, and 64 concurrently.
fn requests(c: &mut Criterion) {
    let body = Bytes::from(vec![b'x'; 4_096]);
    for (name, store) in STORES {
        let runtime = Runtime::new().expect("a runtime");
        let (bucket, _folder) = open(store);
        let mut next = 0;
        let mut group = c.benchmark_group(format!("bucket_{name}"));
        group.sample_size(20);
        group.bench_function("create_4k", |b| {
            b.iter(|| {
                next += 1;
                runtime.block_on(create(&bucket, next, &body));
            });
        });
        group.bench_function("create_4k_64_at_once", |b| {
            b.iter(|| {
                let numbers = next + 1..=next + 64;
                next += 64;
                runtime.block_on(join_all(numbers.map(|n| {
                    let (bucket, body) = (Arc::clone(&bucket), body.clone());
                    async move {
                        let task = tokio::spawn(async move { create(&bucket, n, &body).await });
                        task.await.expect("no panic");
                    }
                })));
            });
        });
        let at = key(1);
        group.bench_function("replace_4k", |b| {
            b.iter(|| {
                runtime.block_on(async {
                    let version = bucket
                        .read(&at)
                        .await
                        .expect("an answer")
                        .expect("an object");
                    let expect = Expect::At(version.version);
                    let _ = bucket
                        .write(&at, body.clone(), expect)
                        .await
                        .expect("an answer");
                });
            });
        });
        group.bench_function("read_4k", |b| {
            b.iter(|| runtime.block_on(bucket.read(&at)).expect("an answer"));
        });
        let prefix = Prefix::parse("bench/01/").expect("a prefix");
        group.bench_function("list_one_folder", |b| {
            b.iter(|| {
                runtime
                    .block_on(bucket.list(&prefix, None, 1_000))
                    .expect("an answer")
            });
        });
    }
}

criterion_group!(benches, requests);
criterion_main!(benches);
