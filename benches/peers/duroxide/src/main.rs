//! duroxide among the peers: client and worker in one process, as `benches/peers/README.md`
//! requires.

use std::env;
use std::future::Future;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use duroxide::providers::sqlite::SqliteProvider;
use duroxide::runtime::registry::ActivityRegistry;
use duroxide::runtime::{Runtime, RuntimeOptions};
use duroxide::{
    ActivityContext, Client, OrchestrationContext, OrchestrationRegistry, OrchestrationStatus,
};
use serde_json::{Value, json};

/// Far more than any workload needs.
const LONG: Duration = Duration::from_secs(300);

/// Delay between a start and its signal, so that every peer waits for the signal by then.
const PAUSE: Duration = Duration::from_millis(100);

/// Connections in its provider's pool: each has settings of its own.
const POOL: usize = 5;

struct Peer {
    client: Client,
    runtime: Arc<Runtime>,
    synchronous: i64,
}

#[tokio::main]
async fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    let peer = Peer::start(&env::var("PEER_STORE").expect("PEER_STORE names a folder")).await;
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut answer = match words[..] {
        ["many", runs, steps, times] => {
            let runs: usize = number(runs);
            repeated(number(times), || peer.many("steps", steps, runs)).await
        }
        ["fan", children, times] => repeated(number(times), || peer.many("fan", children, 1)).await,
        ["signal", rounds] => {
            let mut seconds = Vec::new();
            for _ in 0..=number::<usize>(rounds) {
                let id = peer.begin("replays", "0").await;
                tokio::time::sleep(PAUSE).await;
                seconds.push(peer.signalled(&id).await);
            }
            json!({ "seconds": &seconds[1..] })
        }
        ["prepare", steps] => json!({ "id": peer.prepare(steps).await }),
        ["resume", id] => json!({ "seconds": [peer.signalled(id).await] }),
        ["idle", seconds] => {
            println!("{}", json!({ "ready": true }));
            tokio::time::sleep(Duration::from_secs(number(seconds))).await;
            json!({})
        }
        _ => panic!("no such workload: {args:?}"),
    };
    answer["synchronous"] = json!(peer.synchronous);
    peer.runtime.shutdown(None).await;
    println!("{answer}");
}

impl Peer {
    async fn start(folder: &str) -> Self {
        let file = format!("{folder}/duroxide.db");
        if !std::path::Path::new(&file).exists() {
            std::fs::File::create(&file).expect("a file");
        }
        let store = SqliteProvider::new(&format!("sqlite:{file}"), None)
            .await
            .expect("a store");
        let synchronous = durability(&store, env::var("PEER_FSYNC").is_ok()).await;
        let store = Arc::new(store);
        let activities = ActivityRegistry::builder()
            .register(
                "nothing",
                |_: ActivityContext, n: String| async move { Ok(n) },
            )
            .build();
        let workflows = OrchestrationRegistry::builder()
            .register("steps", |ctx: OrchestrationContext, n: String| async move {
                steps(&ctx, &n).await
            })
            .register("fan", |ctx: OrchestrationContext, n: String| async move {
                let children = (0..number::<u64>(&n))
                    .map(|_| ctx.schedule_sub_orchestration("steps", "1"))
                    .collect();
                let ends = ctx.join(children).await;
                ends.into_iter().collect::<Result<Vec<_>, _>>()?;
                Ok(n)
            })
            .register(
                "replays",
                |ctx: OrchestrationContext, n: String| async move {
                    steps(&ctx, &n).await?;
                    ctx.set_custom_status("waits");
                    Ok(ctx.schedule_wait("in").await)
                },
            )
            .build();
        let options = RuntimeOptions {
            dispatcher_min_poll_interval: Duration::from_millis(1),
            ..RuntimeOptions::default()
        };
        let runtime =
            Runtime::start_with_options(Arc::clone(&store) as _, activities, workflows, options)
                .await;
        Self {
            client: Client::new(store),
            runtime,
            synchronous,
        }
    }

    async fn begin(&self, workflow: &str, input: &str) -> String {
        let id = fresh_id();
        self.client
            .start_orchestration(&id, workflow, input)
            .await
            .expect("a start");
        id
    }

    async fn end(&self, id: &str) {
        match self.client.wait_for_orchestration(id, LONG).await {
            Ok(OrchestrationStatus::Completed { .. }) => {}
            other => panic!("{id} did not complete: {other:?}"),
        }
    }

    async fn many(&self, workflow: &str, input: &str, count: usize) {
        let starts = (0..count).map(|_| self.begin(workflow, input));
        let ids = futures::future::join_all(starts).await;
        futures::future::join_all(ids.iter().map(|id| self.end(id))).await;
    }

    async fn signalled(&self, id: &str) -> f64 {
        let began = Instant::now();
        self.client
            .raise_event(id, "in", "7")
            .await
            .expect("a signal");
        self.end(id).await;
        began.elapsed().as_secs_f64()
    }

    async fn prepare(&self, steps: &str) -> String {
        let id = self.begin("replays", steps).await;
        loop {
            let status = self.client.get_orchestration_status(&id).await;
            match status.expect("a status") {
                OrchestrationStatus::Running {
                    custom_status: Some(_),
                    ..
                } => return id,
                OrchestrationStatus::Failed { details, .. } => panic!("{id} failed: {details:?}"),
                _ => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }
}

async fn steps(ctx: &OrchestrationContext, n: &str) -> Result<String, String> {
    for at in 0..number::<u64>(n) {
        ctx.schedule_activity("nothing", at.to_string()).await?;
    }
    Ok(n.to_owned())
}

/// Sets `PRAGMA synchronous` on every connection of the pool if requested, and reads the effective
/// value.
async fn durability(store: &SqliteProvider, full: bool) -> i64 {
    let mut all = Vec::new();
    for _ in 0..POOL {
        all.push(store.get_pool().acquire().await.expect("a connection"));
    }
    let mut holds = 0;
    for connection in &mut all {
        if full {
            sqlx::query("PRAGMA synchronous = FULL")
                .execute(&mut **connection)
                .await
                .expect("a setting");
        }
        holds = sqlx::query_scalar("PRAGMA synchronous")
            .fetch_one(&mut **connection)
            .await
            .expect("a setting");
    }
    holds
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

fn fresh_id() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a clock");
    format!(
        "r{}-{}",
        now.as_nanos(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    )
}

fn number<T: FromStr>(text: &str) -> T {
    text.parse()
        .unwrap_or_else(|_| panic!("not a number: {text}"))
}
