//! 200 starts per second by 20 clients that share no hot key: the achieved rate, and how many
//! writes conflicted with another one.
//!
//! ```text
//! cargo run --release -p millpond-benches --example starts -- memory:
//! cargo run --release -p millpond-benches --example starts -- sqlite:./pond.db
//! cargo run --release -p millpond-benches --example starts -- 's3://bucket/prefix?region=eu-central-1'
//! ```
//!
//! Each client is an engine with connections of its own, and starts 10 executions per second for 10
//! s, whether or not earlier ones have completed. S3's credentials come from the SDK's chain.

use std::sync::Arc;
use std::time::{Duration, Instant};

use millpond::client::{App, Engine, Host, Start};
use millpond::ports::MemoryBucket;
use millpond::ports::{Bucket, Clock, Doorbell, Ports};
use millpond::{Context, Failed};
use millpond_host::{OsEntropy, StoreClock, SystemClock, TokioSpawner};
use millpond_s3::S3Bucket;
use millpond_sqlite::{Options, SqliteBucket};
use millpond_wrappers::{Metered, Usage};
use tokio::task::JoinSet;

const CLIENTS: u32 = 20;
const EACH: u32 = 100;
const PACE: Duration = Duration::from_millis(100);

type Place = (Arc<dyn Bucket>, Arc<dyn Clock>);

/// Opens the bucket again: memory is shared, other stores get another connection.
async fn open(url: &str, memory: &Arc<MemoryBucket>) -> Place {
    let clock = Arc::new(SystemClock::default());
    if url == "memory:" {
        return (Arc::clone(memory) as Arc<dyn Bucket>, clock);
    }
    if let Some(path) = url.strip_prefix("sqlite:") {
        let bucket = SqliteBucket::open(path, Options::default()).expect("the file opens");
        return (Arc::new(bucket), clock);
    }
    let options = url.parse().expect("memory:, sqlite:FILE or a URL of s3:");
    let bucket = S3Bucket::open(&options).await.expect("the bucket opens");
    let clock = Arc::new(StoreClock::new(Arc::clone(bucket.time())));
    (Arc::new(bucket), clock)
}

async fn nothing(_: Context, n: u32) -> Result<u32, Failed> {
    Ok(n)
}

/// The results of one client's starts: the time of each, and all requests.
async fn client(number: u32, (bucket, clock): Place) -> (Vec<Duration>, Usage) {
    let metered = Arc::new(Metered::new(bucket));
    let ports = Ports {
        bucket: Arc::clone(&metered) as Arc<dyn Bucket>,
        clock,
        entropy: Arc::new(OsEntropy::default()),
        wakeups: Arc::new(Doorbell::default()),
        spawner: Arc::new(TokioSpawner::current()),
    };
    let host = Host {
        worker: format!("client-{number}"),
        site: "bench".to_owned(),
        code_ref: "20260101T000000-bench".to_owned(),
    };
    let app = App::new().workflow("nothing", "1", nothing);
    let engine = Arc::new(Engine::new(ports, app, host).expect("an application"));
    // Spreads the clients over the interval.
    tokio::time::sleep(PACE * number / CLIENTS).await;
    let mut pace = tokio::time::interval(PACE);
    let mut starts = JoinSet::new();
    for n in 0..EACH {
        pace.tick().await;
        let engine = Arc::clone(&engine);
        starts.spawn(async move {
            let began = Instant::now();
            let start = Start::new("nothing").input(&n);
            engine.start(start).await.expect("a start");
            began.elapsed()
        });
    }
    (starts.join_all().await, metered.usage())
}

#[tokio::main]
async fn main() {
    let url = std::env::args().nth(1).expect("the URL of a bucket");
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let memory = Arc::new(MemoryBucket::new(clock));
    let mut places = Vec::new();
    for _ in 0..CLIENTS {
        places.push(open(&url, &memory).await);
    }
    let began = Instant::now();
    let mut clients = JoinSet::new();
    for (number, place) in (0..).zip(places) {
        clients.spawn(client(number, place));
    }
    let (mut times, mut usages) = (Vec::new(), Vec::new());
    for (took, usage) in clients.join_all().await {
        times.extend(took);
        usages.push(usage);
    }
    let spent = began.elapsed();
    times.sort_unstable();
    let sum = |of: fn(&Usage) -> u64| usages.iter().map(of).sum::<u64>();
    let starts = times.len();
    println!("clients     {CLIENTS}");
    println!(
        "starts      {starts} in {:.2} s: {:.1} a second",
        spent.as_secs_f64(),
        starts as f64 / spent.as_secs_f64()
    );
    println!(
        "one start   {:?} half of them, {:?} 99 of 100",
        times[starts / 2],
        times[starts * 99 / 100]
    );
    let write_requests = sum(Usage::write_requests);
    let met = sum(|usage| {
        let total = usage.total();
        total.refused + total.unknown + total.throttled
    });
    println!(
        "requests    {write_requests} write, {} read",
        sum(Usage::read_requests)
    );
    println!("refused     {}", sum(|usage| usage.total().refused));
    println!("unknown     {}", sum(|usage| usage.total().unknown));
    println!("throttled   {}", sum(|usage| usage.total().throttled));
    println!(
        "conflicts   {:.3} %",
        met as f64 * 100.0 / write_requests as f64
    );
}
