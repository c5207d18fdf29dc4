//! 10,000 items of 2 KB, 100 concurrently, a kill at 60 %: requests in proportion to the items,
//! constant memory, and at most one window repeated (case 22).
//!
//! ```text
//! cargo run --release -p millpond-benches --example map_10000
//! ```
//!
//! The bucket is in this process's memory, and counts towards it: some 21 MB of journal.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::channel::mpsc;
use futures::future::try_join_all;
use millpond::client::{App, Engine, Host, Notice, Start, Worker, WorkerOptions};
use millpond::ports::MemoryBucket;
use millpond::ports::{Bucket, Clock, Doorbell, Ports};
use millpond::settings::Settings;
use millpond::{Attempt, Context, Failed, StepError};
use millpond_host::{OsEntropy, SystemClock, TokioSpawner};
use millpond_wrappers::{Metered, Usage};
use tokio::runtime::Runtime;

const ITEMS: usize = 10_000;
const WIDTH: usize = 100;
const BYTES: usize = 2 << 10;
/// The item that blocks, in the middle of a window, in the first life of its process.
const FATAL: usize = ITEMS * 6 / 10 + WIDTH / 2;
const MOST_MEMORY: u64 = 256 << 10;

/// Effects of the items, over both lives.
struct World {
    effects: Mutex<BTreeMap<usize, u32>>,
    hangs: AtomicBool,
    reached: mpsc::UnboundedSender<()>,
}

async fn item(world: Arc<World>, item: usize) -> Result<String, StepError> {
    let still = item == FATAL && world.hangs.swap(false, Ordering::SeqCst);
    *world
        .effects
        .lock()
        .expect("whole")
        .entry(item)
        .or_default() += 1;
    if still {
        let _ = world.reached.unbounded_send(());
        std::future::pending::<()>().await;
    }
    Ok(format!("{item:0BYTES$}"))
}

async fn map(ctx: Context, world: Arc<World>) -> Result<usize, Failed> {
    let mut bytes = 0;
    for window in 0..ITEMS / WIDTH {
        let items = (0..WIDTH).map(|at| {
            let world = Arc::clone(&world);
            ctx.step("item", move |_: Attempt| {
                item(Arc::clone(&world), window * WIDTH + at)
            })
        });
        let done = try_join_all(items).await?;
        bytes += done.iter().map(String::len).sum::<usize>();
    }
    Ok(bytes)
}

/// A process: its runtime ends with it.
struct Life {
    engine: Engine,
    metered: Arc<Metered>,
    runtime: Runtime,
}

impl Life {
    fn begin(bucket: &Arc<dyn Bucket>, clock: &Arc<dyn Clock>, world: &Arc<World>) -> Self {
        let runtime = Runtime::new().expect("threads");
        let metered = Arc::new(Metered::new(Arc::clone(bucket)));
        let ports = Ports {
            bucket: Arc::clone(&metered) as Arc<dyn Bucket>,
            clock: Arc::clone(clock),
            entropy: Arc::new(OsEntropy::default()),
            wakeups: Arc::new(Doorbell::default()),
            spawner: Arc::new(TokioSpawner::new(runtime.handle().clone())),
        };
        let host = Host {
            worker: "bench".to_owned(),
            site: "bench".to_owned(),
            code_ref: "20260101T000000-bench".to_owned(),
        };
        let world = Arc::clone(world);
        let app = App::new().workflow("map", "1", move |ctx, (): ()| map(ctx, Arc::clone(&world)));
        let settings = Settings {
            ttl: Duration::from_secs(2),
            ..Settings::default()
        };
        let engine = Engine::with_settings(ports, app, host, settings).expect("an application");
        Self {
            engine,
            metered,
            runtime,
        }
    }

    fn work(&self) {
        let worker = Worker::new(&self.engine, WorkerOptions::default());
        self.runtime
            .spawn(async move { worker.run(&Notice::new(), &Notice::new()).await });
    }

    fn kill(self) -> Usage {
        self.runtime.shutdown_background();
        self.metered.usage()
    }
}

/// The peak memory of this process, in KiB.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|rest| rest.trim().strip_suffix(" kB"));
    number.and_then(|n| n.parse().ok()).expect("a number of kB")
}

fn main() {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let bucket: Arc<dyn Bucket> = Arc::new(MemoryBucket::new(Arc::clone(&clock)));
    let (reached, mut middle) = mpsc::unbounded();
    let world = Arc::new(World {
        effects: Mutex::default(),
        hangs: AtomicBool::new(true),
        reached,
    });
    let began = Instant::now();
    let first = Life::begin(&bucket, &clock, &world);
    let start = first.engine.start(Start::new("map"));
    let eid = futures::executor::block_on(start).expect("a start").eid;
    first.work();
    futures::executor::block_on(middle.next()).expect("it comes to the middle");
    let before = first.kill();
    let reached = began.elapsed();

    let second = Life::begin(&bucket, &clock, &world);
    second.work();
    let engine = &second.engine;
    let wait = Duration::from_secs(600);
    let outcome = second.runtime.block_on(engine.result(eid, wait));
    let bytes: usize = outcome.expect("an end").get().expect("a value");
    assert_eq!(bytes, ITEMS * BYTES);
    let after = second.kill();

    let (write_requests, read_requests) = (
        before.write_requests() + after.write_requests(),
        before.read_requests() + after.read_requests(),
    );
    let effects = world.effects.lock().expect("whole");
    assert_eq!(effects.len(), ITEMS);
    let again = effects.values().sum::<u32>() as usize - ITEMS;
    let memory = most_memory();
    println!(
        "items       {ITEMS} of {BYTES} bytes in {:.1?}",
        began.elapsed()
    );
    println!("killed      at item {FATAL}, after {reached:.1?}");
    println!("again       {again} items");
    println!("requests    {write_requests} write, {read_requests} read");
    println!("memory      {} MiB at most", memory >> 10);
    assert!(again <= WIDTH, "more than a window was done again");
    assert!(
        write_requests <= ITEMS as u64 && read_requests <= ITEMS as u64,
        "O(N)"
    );
    assert!(memory < MOST_MEMORY, "it is not flat");
}
