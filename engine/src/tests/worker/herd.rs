//! Several workers that poll one queue (N25): each takes a part of what waits, and few runs are for
//! nothing.

use bytes::Bytes;

use super::*;
use crate::client::Start;
use crate::domain::{MessageId, Queue, Status};
use crate::ports::Bucket;
use crate::run::{Ended, Stop};
use crate::testing::{CountingBucket, Delayed};
use crate::tests::{neighbour, with_doors};

const EXECUTIONS: usize = 2_000;

/// The requests and the time that `workers` of this concurrency take for 2,000 executions. Fails after
/// `most` requests.
fn measure(workers: usize, concurrency: usize, most: u64) -> (u64, Duration) {
    let (world, ledger) = world();
    let eids: Vec<_> = (0..EXECUTIONS)
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
        let options = WorkerOptions {
            concurrency,
            ..WorkerOptions::default()
        };
        let worker = Worker::new(&process.engine, options);
        let (stop, abandon) = (stop.clone(), abandon.clone());
        async move { worker.run(&stop, &abandon).await }
    });
    let ends = async {
        let waits = || {
            let rows = world.memory.snapshot();
            rows.iter()
                .any(|(key, _)| key.as_str().starts_with("mail/"))
        };
        while waits() && requests(&counters) < most {
            sleep(&world, Duration::from_millis(20)).await;
        }
        stop.set();
        world.clock.monotonic()
    };
    let (_, ended) = world.block(join(futures::future::join_all(works), ends));
    let requests = requests(&counters);
    assert!(requests < most, "{requests} requests, and work is left");
    for eid in eids {
        assert_eq!(world.result::<u64>(eid), Ok(3));
    }
    (requests, ended - begun)
}

fn requests(counters: &[Arc<CountingBucket>]) -> u64 {
    let counts = counters.iter().map(|counter| counter.counts());
    counts
        .map(|counts| counts.write_requests() + counts.read_requests())
        .sum()
}

/// How many times the requests and the speed of one worker sixteen of them have. In manual time, so
/// the figures are exact for these seeds.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn sixteen(concurrency: usize) -> (f64, f64) {
    let (one, alone) = measure(1, concurrency, u64::MAX);
    let (many, together) = measure(16, concurrency, 2 * one);
    (many as f64 / one as f64, alone.div_duration_f64(together))
}

#[test]
fn n25_sixteen_workers_share_one_queue() {
    let (requests, speed) = sixteen(8);
    assert!(requests < 1.15, "{requests} times the requests");
    assert!(speed > 12.0, "{speed} times the speed");
}

/// Half of what waits is being run at any time.
#[test]
fn n25_sixteen_workers_with_little_work_for_each() {
    let (requests, speed) = sixteen(64);
    assert!(requests < 1.3, "{requests} times the requests");
    assert!(speed > 4.3, "{speed} times the speed");
}

/// Otherwise one worker takes less and less of the late mail of executions that have ended.
#[test]
fn n25_a_run_that_deletes_late_mail_is_not_for_nothing() {
    let (world, _) = world();
    let eid = world.start(Start::new("sequential").input(&1_u64)).eid;
    world.run_all();
    let late = crate::keys::mail(&Queue::default(), &eid, &MessageId::start());
    let created = world
        .engine
        .ports()
        .create(&late, Bytes::from_static(b"{}"));
    let _ = world.block(created).unwrap();
    let run = |world: &World| {
        let (mut served, causes) = (Vec::new(), world.causes(eid));
        let core = Arc::clone(world.engine.core());
        let run = crate::run::run(core, eid, causes, Stop::default(), &mut served);
        let ended = world.block(run).unwrap();
        (ended, served)
    };
    world.clock.advance(Duration::from_secs(2));
    let completed = Ended::Terminal(Status::Completed);
    assert_eq!(run(&world), (completed, vec![late]));
    assert!(world.with_work().is_empty());
}
