//! Millpond among its peers: the client that `benches/peers/run` starts. Its arguments and its
//! output are the same for every peer (`benches/peers/README.md`).

use std::future::Future;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Parser, Subcommand};
use millpond::client::WorkerOptions;
use millpond::domain::ExecutionId;
use millpond::ports::Bucket;
use millpond_benches::{Durability, Stage, open_url};
use millpond_wrappers::Metered;
use serde_json::{Value, json};

/// The poll interval of the commands `dev` and `worker` while they are idle.
const LOOK: Duration = Duration::from_millis(200);

/// Delay between a start and its signal, so that every peer waits for the signal by then.
const PAUSE: Duration = Duration::from_millis(100);

/// One workload, on one bucket, in one process that is client and worker.
#[derive(Debug, Parser)]
struct Args {
    /// `memory:` or `sqlite:FILE`.
    #[arg(long)]
    bucket: String,
    /// Answer writes before they are on the disk.
    #[arg(long)]
    no_fsync: bool,
    #[command(subcommand)]
    workload: Workload,
}

#[derive(Debug, Clone, Copy, Subcommand)]
enum Workload {
    /// RUNS executions of STEPS steps, all at once; TIMES times, after one that is not counted.
    Many {
        runs: usize,
        steps: u64,
        times: usize,
    },
    /// A parent with CHILDREN children of one step; TIMES times, after one that is not counted.
    Fan { children: u64, times: usize },
    /// From a signal to the result of the execution that waits for it.
    Signal { rounds: usize },
    /// Makes an execution that has done STEPS steps and waits.
    Prepare { steps: u64 },
    /// Lets that execution go on: from the signal to its result.
    Resume { id: ExecutionId },
    /// Has nothing to do for SECONDS.
    Idle { seconds: u64 },
}

fn main() -> ExitCode {
    let args = Args::parse();
    let durability = if args.no_fsync {
        Durability::Relaxed
    } else {
        Durability::Fsync
    };
    let bucket = match open_url(&args.bucket, durability) {
        Ok(bucket) => bucket,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::FAILURE;
        }
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(run(bucket, args.workload));
    ExitCode::SUCCESS
}

async fn run(bucket: Arc<dyn Bucket>, workload: Workload) {
    if let Workload::Idle { seconds } = workload {
        return idle(bucket, Duration::from_secs(seconds)).await;
    }
    let stage = Stage::on(bucket, options());
    let answer = measure(&stage, workload).await;
    stage.close().await;
    println!("{answer}");
}

async fn measure(stage: &Stage, workload: Workload) -> Value {
    match workload {
        Workload::Many { runs, steps, times } => {
            repeated(times, || stage.many("steps", steps, runs)).await
        }
        Workload::Fan { children, times } => {
            repeated(times, || stage.many("fan", children, 1)).await
        }
        Workload::Signal { rounds } => {
            let mut seconds = Vec::new();
            for _ in 0..=rounds {
                let eid = stage.start("waits", 0).await;
                tokio::time::sleep(PAUSE).await;
                seconds.push(signalled(stage, eid).await);
            }
            json!({ "seconds": &seconds[1..] })
        }
        Workload::Prepare { steps } => {
            let eid = stage.start("replays", steps).await;
            stage.suspended(eid).await;
            json!({ "id": eid.to_string() })
        }
        Workload::Resume { id } => json!({ "seconds": [signalled(stage, id).await] }),
        Workload::Idle { .. } => unreachable!("idle needs a counted bucket"),
    }
}

/// Seconds of each of `times` repetitions, after one warm-up.
async fn repeated<F: Future<Output = ()>>(times: usize, once: impl Fn() -> F) -> Value {
    let mut seconds = Vec::new();
    for _ in 0..=times {
        let began = Instant::now();
        once().await;
        seconds.push(began.elapsed().as_secs_f64());
    }
    json!({ "seconds": &seconds[1..] })
}

async fn signalled(stage: &Stage, eid: ExecutionId) -> f64 {
    let began = Instant::now();
    stage.signal(eid).await;
    stage.end(eid).await;
    began.elapsed().as_secs_f64()
}

/// Reports when it is ready, and at the end how many requests it has made. The engine is otherwise
/// idle; the parent process measures this process from outside.
async fn idle(bucket: Arc<dyn Bucket>, time: Duration) {
    let counting = Arc::new(Metered::new(bucket));
    let stage = Stage::on(Arc::clone(&counting) as Arc<dyn Bucket>, options());
    println!("{}", json!({ "ready": true }));
    tokio::time::sleep(time).await;
    let counts = counting.usage();
    println!(
        "{}",
        json!({ "seconds": [time.as_secs_f64()], "write_requests": counts.write_requests(), "read_requests": counts.read_requests() })
    );
    stage.close().await;
}

fn options() -> WorkerOptions {
    WorkerOptions {
        idle: LOOK,
        ..WorkerOptions::default()
    }
}
