//! Several workers that poll one queue (N25): each takes a part of what waits, and few runs are for
//! nothing.

use super::*;
use crate::client::Start;
use crate::ports::Bucket;
use crate::testing::{CountingBucket, Delayed};
use crate::tests::{neighbour, with_doors};

/// The requests and the time that `workers` take for `n` executions.
fn measure(workers: usize, n: usize) -> (u64, Duration) {
    let (world, ledger) = world();
    let eids: Vec<_> = (0..n)
        .map(|_| world.start(Start::new("sequential").input(&3_u64)).eid)
        .collect();
    let (stop, abandon) = (Notice::new(), Notice::new());
    let mut counters = Vec::new();
    let processes: Vec<World> = (0..workers as u64)
        .map(|seed| {
            let process = neighbour(&world, || app(&ledger), 100 + seed);
            with_doors(process, app(&ledger), |ports| {
                let slow = Delayed::seeded(
                    Arc::clone(&ports.bucket),
                    Arc::clone(&ports.clock),
                    Duration::from_millis(10),
                    Duration::from_millis(30),
                    seed,
                );
                let counting = Arc::new(CountingBucket::new(Arc::new(slow) as Arc<dyn Bucket>));
                counters.push(Arc::clone(&counting));
                ports.bucket = counting;
            })
        })
        .collect();
    let begun = world.clock.monotonic();
    let works = processes.iter().map(|process| {
        let worker = Worker::new(&process.engine, WorkerOptions::default());
        let (stop, abandon) = (stop.clone(), abandon.clone());
        async move { worker.run(&stop, &abandon).await }
    });
    let ends = async {
        let waits = || {
            let rows = world.memory.snapshot();
            rows.iter()
                .any(|(key, _)| key.as_str().starts_with("mail/"))
        };
        while waits() {
            sleep(&world, Duration::from_millis(20)).await;
        }
        stop.set();
        world.clock.monotonic()
    };
    let (_, ended) = world.block(join(futures::future::join_all(works), ends));
    let requests = counters.iter().map(|counter| {
        let counts = counter.counts();
        counts.write_requests() + counts.read_requests()
    });
    for eid in eids {
        assert_eq!(world.result::<u64>(eid), Ok(3));
    }
    (requests.sum(), ended - begun)
}

/// In manual time, so the figures are exact for these seeds.
#[test]
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn n25_sixteen_workers_share_one_queue() {
    let (one, alone) = measure(1, 2_000);
    let (many, together) = measure(16, 2_000);
    let (requests, speed) = (many as f64 / one as f64, alone.div_duration_f64(together));
    assert!(requests < 1.3, "{requests} times the requests");
    assert!(speed > 2.5, "{speed} times the speed");
}
