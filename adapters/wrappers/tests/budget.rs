//! Case 23: what it costs to have nothing to do, and to run one execution, by the printed
//! budget (docs/operations.md): a look is one list per queue and one of the timers.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join;
use millpond::client::{App, Engine, Notice, Start, Worker, WorkerOptions};
use millpond::keys::Kind;
use millpond::ports::{Bucket, Verb};
use millpond::{Context, Failed, StepError};
use millpond_testing::World;
use millpond_wrappers::{Bill, Metered, NanoDollars, Prices, Usage};

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);
const SECOND: Duration = Duration::from_secs(1);

async fn echo(value: u64) -> Result<u64, StepError> {
    Ok(value)
}

async fn steps(ctx: Context, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for at in 0..n {
        sum += ctx.call("echo", echo, &at).await?;
    }
    Ok(sum)
}

/// Sleeps for two days.
async fn sleeps(ctx: Context, (): ()) -> Result<(), Failed> {
    ctx.sleep(2 * DAY).await?;
    Ok(())
}

struct Process {
    world: World,
    metered: Arc<Metered>,
}

fn process() -> Process {
    let mut world = World::new(App::new());
    let app = App::new()
        .workflow("steps", "1", steps)
        .workflow("sleeps", "1", sleeps);
    // Not over the counting bucket, which keeps a log.
    let metered = Arc::new(Metered::new(Arc::clone(&world.memory) as Arc<dyn Bucket>));
    let mut ports = world.engine.ports().clone();
    ports.bucket = Arc::clone(&metered) as Arc<dyn Bucket>;
    let host = world.engine.core().host.clone();
    world.engine = Engine::new(ports, app, host).expect("an application");
    Process { world, metered }
}

impl Process {
    /// Runs a worker for so long that looks each `idle`; what it asks for.
    fn work(&self, time: Duration, idle: Duration) -> Usage {
        let before = self.metered.usage();
        let (stop, abandon) = (Notice::new(), Notice::new());
        let options = WorkerOptions {
            idle,
            ..WorkerOptions::default()
        };
        let worker = Worker::new(&self.world.engine, options);
        let word = async {
            use millpond::ports::Clock as _;
            self.world.clock.sleep(time).await;
            stop.set();
        };
        self.world.block(join(worker.run(&stop, &abandon), word));
        self.metered.usage().since(&before)
    }
}

#[test]
fn case23_a_day_of_nothing_costs_two_lists_a_second() {
    let idle = process();
    idle.work(HOUR, SECOND);
    let idle = idle.work(DAY, SECOND);
    println!("{}", Bill::new(&idle, vec![Prices::s3_standard()]));
    let lists = idle.by_verb(Verb::List).requests;
    assert_eq!(idle.total().requests, lists, "lists, and nothing else");
    for kind in [Kind::Mail, Kind::Timer] {
        let looks = idle.of(Verb::List, kind).requests;
        // One a second, and the few of a worker that begins.
        assert!((86_400..86_460).contains(&looks), "{kind}: {looks}");
    }
}

#[test]
fn case23_a_day_of_ten_thousand_sleepers_costs_what_a_day_of_nothing_does() {
    let idle = process();
    idle.work(HOUR, 10 * SECOND);
    let idle = idle.work(DAY, 10 * SECOND);
    let process = process();
    for _ in 0..10_000 {
        process.world.start(Start::new("sleeps"));
    }
    process.work(HOUR, 10 * SECOND);
    let objects = process.world.memory.len();
    assert_eq!(objects, 30_000, "a head, a timer, a feed object each");
    assert_eq!(process.work(DAY, 10 * SECOND), idle);
    assert!(
        idle.write_requests() > 2 * 8_640,
        "{}",
        idle.write_requests()
    );
}

#[test]
fn case23_a_run_of_a_hundred_steps_costs_105_writes_and_lists_and_2_reads() {
    let process = process();
    let eid = process.world.start(Start::new("steps").input(&100_u64)).eid;
    process.world.run(eid).expect("a run");
    assert_eq!(process.world.result::<u64>(eid), Ok(4_950));
    let usage = process.metered.usage();
    // The last read is the look at the result.
    assert_eq!((usage.write_requests(), usage.read_requests()), (105, 3));
    let bill = Bill::new(&usage, vec![Prices::s3_standard()]);
    println!("{bill}");
    assert_eq!(bill.costs, [NanoDollars(105 * 5_000 + 3 * 400)]);
    assert_eq!(usage.of(Verb::Replace, Kind::Head).requests, 101);
    assert_eq!(usage.total().refused, 0);
}
