//! A long history: a resume reads the head and the segments, however many steps there were.

use std::sync::Arc;
use std::time::Duration;

use futures::future::try_join_all;
use millpond::client::{App, Ended, Signal, Start};
use millpond::ports::{Bucket, Clock};
use millpond::settings::Settings;
use millpond::{Context, Failed, StepError};
use millpond_host::SystemClock;
use millpond_testing::{MemoryBucket, Verb};

use crate::stage::{Process, Store};

async fn echo(n: u64) -> Result<u64, StepError> {
    Ok(n)
}

/// 1,000 steps, 50 at once, then a message.
async fn long(ctx: Context, (): ()) -> Result<u64, Failed> {
    let mut sum = 0;
    for round in 0..20 {
        let steps = (0..50).map(|at| ctx.call("echo", echo, &(round * 50 + at)));
        sum += try_join_all(steps).await?.into_iter().sum::<u64>();
    }
    Ok(sum + ctx.receive::<u64>("in").await?)
}

/// Runs it to its wait by one process, and resumes it by another. What the resume asked for, in
/// order of kind.
async fn resumed(process: impl AsyncFn(App, Settings) -> Process) {
    let app = || App::new().workflow("long", "1", long);
    // No renewal and no early feed object is due while it runs.
    let settings = Settings {
        ttl: Duration::from_secs(900),
        feed_after: Duration::from_secs(900),
        ..Settings::default()
    };
    let first = process(app(), settings.clone()).await;
    let eid = first.start(Start::new("long")).await;
    assert!(matches!(first.run(eid).await, Ended::Suspended(None)));
    let execution = first.engine.execution(eid).await;
    let execution = execution.expect("there is one");
    assert!(execution.entries > 2_000, "{execution:?}");
    let segments = execution.segments as u64;
    assert!(segments >= 1, "it was sealed");
    assert!(segments <= execution.journal_bytes / (256 << 10) + 1);
    first.signal(eid, Signal::on("in").value(&500_u64)).await;

    let second = process(app(), settings).await;
    assert!(matches!(second.run(eid).await, Ended::Terminal(_)));
    assert_eq!(second.result::<u64>(eid).await, Ok(999 * 500 + 500));
    let log = second.counting.log();
    let of = |verb: Verb, part: &str| {
        let fits = |r: &&millpond_testing::Request| r.verb == verb && r.key.contains(part);
        log.iter().filter(fits).count() as u64
    };
    // The result was read once, from the head.
    let heads = of(Verb::Read, "/head") - 1;
    assert_eq!((heads, of(Verb::Read, "/log/")), (1, segments), "{log:?}");
    let told = (
        of(Verb::Read, "mail/"),
        of(Verb::List, ""),
        of(Verb::Write, ""),
    );
    assert_eq!(
        told,
        (1, 1, 2),
        "one message, one list; commit and feed: {log:?}"
    );
}

#[tokio::test]
async fn a_resume_after_1000_steps_costs_a_read_for_each_segment_and_no_more() {
    let store = Store::fresh().await;
    resumed(async |app, settings| store.process(app, settings).await).await;
}

#[tokio::test]
async fn the_same_resume_on_memory_costs_the_same() {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let bucket: Arc<dyn Bucket> = Arc::new(MemoryBucket::new(Arc::clone(&clock)));
    resumed(async |app, settings| {
        Process::new(Arc::clone(&bucket), Arc::clone(&clock), app, settings)
    })
    .await;
}
