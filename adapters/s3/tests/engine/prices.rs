//! The price list (docs/protocol.md), on memory and on S3 by the same code: exact, and the same.

use std::sync::Arc;
use std::time::Duration;

use futures::future::try_join_all;
use millpond::client::{App, Signal, Start};
use millpond::ports::Clock;
use millpond::settings::Settings;
use millpond::{Context, Failed, StepError};
use millpond_host::SystemClock;
use millpond_testing::{Counts, MemoryBucket};

use crate::stage::{Process, Store};

async fn echo(n: u64) -> Result<u64, StepError> {
    Ok(n)
}

async fn sequential(ctx: Context, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for at in 0..n {
        sum += ctx.call("echo", echo, &at).await?;
    }
    Ok(sum)
}

async fn waits(ctx: Context, timed: bool) -> Result<u64, Failed> {
    let mut sum = 0;
    for _ in 0..2 {
        let wait = ctx.receive::<u64>("in");
        sum += match timed {
            true => wait.timeout(Duration::from_secs(3_600)).await?.unwrap_or(0),
            false => wait.await?,
        };
    }
    Ok(sum)
}

async fn parent(ctx: Context, n: u64) -> Result<u64, Failed> {
    let children = (0..n).map(|_| ctx.child_named::<u64>("sequential", &2_u64));
    Ok(try_join_all(children).await?.into_iter().sum())
}

fn app() -> App {
    App::new()
        .workflow("sequential", "1", sequential)
        .workflow("waits", "1", waits)
        .workflow("parent", "1", parent)
}

/// No renewal and no early feed object is due while it runs, however slow the machine is.
fn unhurried() -> Settings {
    Settings {
        ttl: Duration::from_secs(900),
        feed_after: Duration::from_secs(900),
        ..Settings::default()
    }
}

/// A line: what was done, its write requests, its read ones, its deletes.
type Line = (String, [u64; 3]);

/// Notes what is done, at its price.
struct Bill<'a> {
    process: &'a Process,
    before: Counts,
    lines: Vec<Line>,
}

impl Bill<'_> {
    fn note(&mut self, what: impl Into<String>) {
        let now = self.process.counting.counts();
        let spent = now.since(&self.before);
        let line = [spent.write_requests(), spent.read_requests(), spent.deletes];
        self.lines.push((what.into(), line));
        self.before = now;
    }
}

async fn bill(process: &Process) -> Vec<Line> {
    let mut bill = Bill {
        process,
        before: process.counting.counts(),
        lines: Vec::new(),
    };
    for n in [0_u64, 1, 5, 20] {
        let eid = process.start(Start::new("sequential").input(&n)).await;
        bill.note("start");
        process.run(eid).await;
        bill.note(format!("{n} steps"));
    }
    for timed in [false, true] {
        let eid = process.start(Start::new("waits").input(&timed)).await;
        bill.note("start");
        process.run(eid).await;
        bill.note(format!("suspend, timed={timed}"));
        for last in [false, true] {
            process.signal(eid, Signal::on("in").value(&1_u64)).await;
            bill.note("signal");
            process.run(eid).await;
            bill.note(format!("resume, timed={timed}, last={last}"));
        }
    }
    let eid = process.start(Start::new("parent").input(&5_u64)).await;
    bill.note("start");
    process.run(eid).await;
    let name = millpond::domain::FrameName::parse("sequential").expect("a plain word");
    for nth in 0..5 {
        let child = eid.child(&millpond::FrameId::root().nth(&name, nth));
        process.run(child).await;
    }
    process.run(eid).await;
    bill.note("5 children of 2 steps");
    bill.lines
}

/// What the list says.
fn expected() -> Vec<Line> {
    let mut lines = Vec::new();
    let mut line = |what: &str, write_requests, read_requests, deletes| {
        lines.push((what.to_owned(), [write_requests, read_requests, deletes]));
    };
    for n in [0, 1, 5, 20] {
        line("start", 2, 0, 0);
        line(&format!("{n} steps"), n + 3, 2, 1);
    }
    for (timed, timer) in [(false, 0), (true, 1)] {
        line("start", 2, 0, 0);
        line(&format!("suspend, timed={timed}"), 4 + timer, 2, 1);
        line("signal", 1, 1, 0);
        line(
            &format!("resume, timed={timed}, last=false"),
            4 + timer,
            2,
            1 + timer,
        );
        line("signal", 1, 1, 0);
        line(
            &format!("resume, timed={timed}, last=true"),
            3,
            2,
            1 + timer,
        );
    }
    line("start", 2, 0, 0);
    line("5 children of 2 steps", 7 + 5 * 8, 3 + 5 * 3, 1 + 5 * 2);
    lines
}

#[tokio::test]
async fn the_price_list_is_exact_on_s3_and_the_same_on_memory() {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let memory = Arc::new(MemoryBucket::new(Arc::clone(&clock)));
    let on_memory = bill(&Process::new(memory, clock, app(), unhurried())).await;
    let store = Store::fresh().await;
    let on_s3 = bill(&store.process(app(), unhurried()).await).await;
    assert_eq!(on_memory, expected());
    assert_eq!(on_s3, on_memory);
}
