//! Case 17 through the wait queue: a store that asks for fewer requests, and whole workers behind it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::join;
use millpond::client::{App, Ended, Engine, Notice, Start, Worker, WorkerEvent, WorkerOptions};
use millpond::domain::{ExecutionId, FrameId};
use millpond::ports::{Bucket, Clock};
use millpond::{Attempt, Context, Failed, Retry, StepError};
use millpond_testing::{Injection, ManualClock, Rule, Verb, World};
use millpond_wrappers::{Limits, Metered, Throttled};

const SECOND: Duration = Duration::from_secs(1);
const TEN_MINUTES: Duration = Duration::from_secs(600);
/// With and without `Retry-After`.
const ASKED: [Option<Duration>; 2] = [None, Some(Duration::from_secs(2))];

/// How often the body of each step ran.
type Ran = Arc<Mutex<BTreeMap<(ExecutionId, FrameId), u32>>>;

/// `n` steps of ten seconds that may be made once each.
async fn steps(ctx: Context, (clock, ran): (Arc<ManualClock>, Ran), n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for _ in 0..n {
        let (clock, ran) = (Arc::clone(&clock), Arc::clone(&ran));
        let step = ctx.step("step", move |attempt: Attempt| {
            let (clock, ran) = (Arc::clone(&clock), Arc::clone(&ran));
            async move {
                let of = (attempt.eid(), attempt.fid().clone());
                *ran.lock().expect("whole").entry(of).or_insert(0) += 1;
                clock.sleep(SECOND * 10).await;
                Ok::<_, StepError>(1_u64)
            }
        });
        sum += step.retry(Retry::none()).await?;
    }
    Ok(sum)
}

/// A process behind a wait queue.
struct Process {
    world: World,
    metered: Arc<Metered>,
    throttled: Arc<Throttled>,
    ran: Ran,
    ended: Arc<Mutex<BTreeMap<ExecutionId, Duration>>>,
}

fn process() -> Process {
    let mut world = World::new(App::new());
    let (clock, ran) = (Arc::clone(&world.clock), Ran::default());
    let with = (Arc::clone(&clock), Arc::clone(&ran));
    let app = App::new().workflow("steps", "1", move |ctx, n| steps(ctx, with.clone(), n));
    let metered = Metered::new(Arc::clone(&world.counting) as Arc<dyn Bucket>);
    let metered = Arc::new(metered);
    let time = Arc::clone(&clock) as Arc<dyn Clock>;
    let below = Arc::clone(&metered) as Arc<dyn Bucket>;
    let throttled = Arc::new(Throttled::new(below, time, Limits::default()));
    let mut ports = world.engine.ports().clone();
    ports.bucket = Arc::clone(&throttled) as Arc<dyn Bucket>;
    let host = world.engine.core().host.clone();
    world.engine = Engine::new(ports, app, host).expect("an application");
    Process {
        world,
        metered,
        throttled,
        ran,
        ended: Arc::default(),
    }
}

impl Process {
    /// Runs a worker beside `what`.
    fn beside(&self, what: impl Future<Output = ()>) {
        let (ended, clock) = (Arc::clone(&self.ended), Arc::clone(&self.world.clock));
        let options = WorkerOptions {
            watch: Some(Arc::new(move |event: &WorkerEvent| {
                if let WorkerEvent::Ended(eid, Ended::Terminal(_)) = event {
                    ended.lock().expect("whole").insert(*eid, clock.monotonic());
                }
            })),
            ..WorkerOptions::default()
        };
        let (stop, abandon) = (Notice::new(), Notice::new());
        let worker = Worker::new(&self.world.engine, options);
        let word = async {
            what.await;
            stop.set();
        };
        self.world.block(join(worker.run(&stop, &abandon), word));
    }

    async fn sleep(&self, time: Duration) {
        self.world.clock.sleep(time).await;
    }

    /// A caller whose start failed repeats it with the same key.
    async fn start(&self, key: &str, n: u64) -> ExecutionId {
        loop {
            let start = Start::new("steps").key(key).input(&n);
            match self.world.engine.start(start).await {
                Ok(started) => return started.eid,
                Err(_) => self.sleep(SECOND).await,
            }
        }
    }

    /// Every request that the store sent away was counted, by `Metered` and by `Throttled`.
    fn all_counted(&self) -> u64 {
        let throttled = self.metered.usage().total().throttled;
        assert_eq!(throttled, self.world.faults.met());
        let standing = self.throttled.standing();
        assert_eq!(throttled, standing.slow_downs);
        assert_eq!((standing.under_way, standing.waiting), (0, 0));
        throttled
    }

    fn ran(&self, eid: ExecutionId) -> Vec<u32> {
        let ran = self.ran.lock().expect("whole");
        let of = ran.iter().filter(|((of, _), _)| *of == eid);
        of.map(|(_, times)| *times).collect()
    }
}

/// Ten minutes of 30 % `SlowDown`: returns the executions that did not make each step once.
fn ten_minutes(seed: u64, asked: Option<Duration>) -> Vec<String> {
    let process = process();
    let rule = || Rule::new(Injection::SlowDown(asked));
    let rules = [
        rule().on(Verb::Read),
        rule().on_writes(),
        rule().on(Verb::Delete),
        rule().on(Verb::List),
    ];
    for (seed, rule) in (seed * 10..).zip(rules) {
        let rule = rule.share(300, seed).lasting(TEN_MINUTES);
        process.world.faults.add(rule);
    }
    let mut all = Vec::new();
    process.beside(async {
        for n in 0..20 {
            all.push((process.start(&format!("{n}"), n % 5 + 1).await, n % 5 + 1));
            process.sleep(SECOND * 28).await;
        }
        process.sleep(SECOND * 180).await;
    });
    let mut failed = Vec::new();
    for (eid, steps) in all {
        let result = process.world.result::<u64>(eid);
        let ran = process.ran(eid);
        if result != Ok(steps) || ran.iter().any(|times| *times != 1) {
            failed.push(format!(
                "seed {seed}, {asked:?}: {eid} {result:?}, attempts {ran:?}"
            ));
        }
    }
    let counted = process.all_counted();
    assert!(counted > 100, "{asked:?}: {counted}");
    failed
}

#[test]
fn case17_ten_minutes_of_30_percent_503_on_every_verb_cost_no_attempt() {
    for (seed, asked) in (10..).zip(ASKED) {
        assert_eq!(ten_minutes(seed, asked), [""; 0], "an attempt was charged");
    }
}

#[test]
fn case17_a_shard_that_is_sent_away_whole_stands_still_alone() {
    for asked in ASKED {
        let process = process();
        let mut shards = BTreeMap::new();
        process.beside(async {
            // One execution in each of six shards.
            for key in 0.. {
                let eid = process.start(&format!("{key}"), 8).await;
                shards.entry(eid.shard()).or_insert(eid);
                if shards.len() == 6 {
                    break;
                }
            }
            process.sleep(SECOND * 15).await;
            let dead = shards.keys().next().expect("six").clone();
            for prefix in [format!("x/{dead}/"), format!("mail/default/{dead}/")] {
                let rule = Rule::new(Injection::SlowDown(asked)).under(prefix).always();
                // Shorter than an ownership: not even the attempt under way is lost.
                process.world.faults.add(rule.clone().lasting(SECOND * 15));
                process
                    .world
                    .faults
                    .add(rule.after(SECOND * 20).lasting(TEN_MINUTES));
            }
            process.sleep(SECOND * 780).await;
        });
        let ended = process.ended.lock().expect("whole").clone();
        let mut rest = shards.values();
        let dead = rest.next().expect("six");
        for eid in rest {
            assert!(ended[eid] < SECOND * 85, "{asked:?}: {:?}", ended[eid]);
            assert_eq!(process.ran(*eid), [1; 8], "{asked:?}");
            assert_eq!(process.world.result::<u64>(*eid), Ok(8));
        }
        assert!(ended[dead] > SECOND * 635, "{asked:?}: {:?}", ended[dead]);
        assert_eq!(
            process.world.result::<u64>(*dead),
            Ok(8),
            "{asked:?}: charged"
        );
        let ran: u32 = process.ran(*dead).iter().sum();
        assert!(
            ran <= 9,
            "{asked:?}: the attempt under way was lost, no other: {ran}"
        );
        assert!(process.all_counted() > 20);
    }
}
