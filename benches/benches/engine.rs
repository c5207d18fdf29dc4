//! `cargo bench -p millpond-benches`: sequential steps, many workflows, fan-out, latency, replay,
//! in memory and in a file with and without fsync.

use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use millpond_benches::{Stage, Store};
use tokio::runtime::Runtime;

const STORES: [(&str, Store); 3] = [
    ("memory", Store::Memory),
    ("relaxed", Store::Relaxed),
    ("fsync", Store::Fsync),
];

fn runtime() -> Runtime {
    Runtime::new().expect("a runtime")
}

/// W1: 20 concurrent executions of 100 sequential steps.
fn sequential(c: &mut Criterion) {
    let mut group = c.benchmark_group("w1_steps");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(2_000));
    for (name, store) in STORES {
        let runtime = runtime();
        let stage = runtime.block_on(async { Stage::new(store) });
        group.bench_function(name, |b| {
            b.iter(|| runtime.block_on(stage.many("steps", 100, 20)));
        });
    }
}

/// W2: 500 executions of 5 steps, started concurrently, one worker.
fn workflows(c: &mut Criterion) {
    let mut group = c.benchmark_group("w2_workflows");
    group.sample_size(10).throughput(Throughput::Elements(500));
    for (name, store) in STORES {
        let runtime = runtime();
        let stage = runtime.block_on(async { Stage::new(store) });
        group.bench_function(name, |b| {
            b.iter(|| runtime.block_on(stage.many("steps", 5, 500)));
        });
    }
}

/// W3: a parent with 50, 200, 400 children: the time must grow linearly.
fn fan_out(c: &mut Criterion) {
    let mut group = c.benchmark_group("w3_children");
    group.sample_size(10);
    for (name, store) in STORES {
        for n in [50, 200, 400] {
            let runtime = runtime();
            let stage = runtime.block_on(async { Stage::new(store) });
            group.throughput(Throughput::Elements(n));
            group.bench_with_input(BenchmarkId::new(name, n), &n, |b, n| {
                b.iter(|| runtime.block_on(stage.many("fan", *n, 1)));
            });
        }
    }
}

/// W4: from a signal to the end of the execution that waits for it.
fn latency(c: &mut Criterion) {
    let mut group = c.benchmark_group("w4_signal");
    signalled(&mut group, "waits", 0);
}

/// W5: an execution of 1,000 completed steps is replayed from the bucket and ends.
fn replay(c: &mut Criterion) {
    let mut group = c.benchmark_group("w5_replay_1000");
    group.sample_size(10);
    signalled(&mut group, "replays", 1_000);
}

/// The time from a signal to the end of a suspended execution.
fn signalled(group: &mut BenchmarkGroup<'_, WallTime>, workflow: &str, n: u64) {
    for (name, store) in STORES {
        let runtime = runtime();
        let stage = runtime.block_on(async { Stage::new(store) });
        group.bench_function(name, |b| {
            b.iter_custom(|times| {
                runtime.block_on(async {
                    let mut spent = Duration::ZERO;
                    for _ in 0..times {
                        let eid = stage.start(workflow, n).await;
                        stage.suspended(eid).await;
                        let began = Instant::now();
                        stage.signal(eid).await;
                        stage.end(eid).await;
                        spent += began.elapsed();
                    }
                    spent
                })
            });
        });
    }
}

/// The cost of a step is independent of the number of earlier steps: time per step of one long
/// execution.
fn long(c: &mut Criterion) {
    let mut group = c.benchmark_group("one_execution_of_n_steps");
    group.sample_size(10);
    for n in [1_000, 4_000, 10_000] {
        let runtime = runtime();
        let stage = runtime.block_on(async { Stage::new(Store::Memory) });
        group.throughput(Throughput::Elements(n));
        group.bench_with_input(BenchmarkId::new("memory", n), &n, |b, n| {
            b.iter(|| runtime.block_on(stage.many("steps", *n, 1)));
        });
    }
}

criterion_group!(
    benches, sequential, workflows, fan_out, latency, replay, long
);
criterion_main!(benches);
