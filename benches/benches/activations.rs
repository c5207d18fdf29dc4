//! `cargo bench -p millpond-benches --bench activations`: the cost of running an activation of workflow
//! code on the dedicated threads (`Spawner::activate`), and on tokio's threads for blocking work
//! (`spawn_blocking`).

use std::hint::spin_loop;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use millpond::ports::Spawner;
use millpond_host::TokioSpawner;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

/// Duration of an activation of workflow code.
const PIECE: Duration = Duration::from_micros(3);

type Run = fn(&TokioSpawner, Box<dyn FnOnce() + Send>);

/// Sequential activations, as in the run of one execution.
async fn pieces(spawner: TokioSpawner, run: Run, count: u64) {
    for _ in 0..count {
        let (done, ended) = oneshot::channel();
        let piece = move || {
            let began = Instant::now();
            while began.elapsed() < PIECE {
                spin_loop();
            }
            let _nobody_waits = done.send(());
        };
        run(&spawner, Box::new(piece));
        ended.await.expect("it runs");
    }
}

/// `executions` concurrent ones, each with its activations.
fn activations(c: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let spawner = runtime.block_on(async { TokioSpawner::current() });
    let ways: [(&str, Run); 2] = [
        ("activation", |spawner, piece| spawner.activate(piece)),
        ("spawn_blocking", |spawner, piece| spawner.blocking(piece)),
    ];
    for (executions, count) in [(1, 200), (20, 50), (500, 10)] {
        let mut group = c.benchmark_group(format!("turns_of_{executions}"));
        group.sample_size(20);
        group.throughput(Throughput::Elements(executions * count));
        for (name, run) in ways {
            group.bench_function(name, |b| {
                b.iter(|| {
                    runtime.block_on(async {
                        let all = (0..executions).map(|_| pieces(spawner.clone(), run, count));
                        all.collect::<JoinSet<()>>().join_all().await;
                    });
                });
            });
        }
    }
}

criterion_group!(benches, activations);
criterion_main!(benches);
