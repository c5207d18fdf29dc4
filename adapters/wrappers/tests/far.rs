//! How many requests come one after the other: every request takes 15 ms, nothing else takes
//! any time.

mod support;

use std::time::Duration;

use millpond::client::{App, Signal, Start};
use millpond::domain::ExecutionId;
use millpond::keys::Kind;
use millpond::ports::Verb;
use millpond::{Context, Failed, StepError};

use support::{FAR, Process, reported};

async fn echo(value: u64) -> Result<u64, StepError> {
    Ok(value)
}

/// `n` steps.
async fn steps(ctx: Context, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for at in 0..n {
        sum += ctx.call("echo", echo, &at).await?;
    }
    Ok(sum)
}

/// `n` steps, then a message.
async fn waits(ctx: Context, n: u64) -> Result<u64, Failed> {
    let sum = steps(ctx.clone(), n).await?;
    Ok(sum + ctx.receive::<u64>("in").await?)
}

fn process() -> Process {
    let app = App::new();
    Process::new(
        app.workflow("steps", "1", steps)
            .workflow("waits", "1", waits),
    )
}

/// When the newest commit of `eid` was answered.
fn committed(process: &Process, from: Duration, eid: ExecutionId) -> Duration {
    let trips = process.trips(from, &eid.to_string());
    let commits = trips
        .iter()
        .filter(|trip| trip.verb == Verb::Replace && trip.kind == Kind::Head);
    commits.map(|trip| trip.back).max().expect("a commit")
}

#[test]
fn a_start_takes_the_time_of_two_requests() {
    let process = process();
    process.world.start(Start::new("steps").input(&1_u64));
    assert_eq!(process.now(), 2 * FAR);
}

#[test]
fn a_hundred_sequential_steps_take_at_most_1_7_seconds_from_start_to_end() {
    let process = process();
    let eid = process.beside(async {
        let start = Start::new("steps").input(&100_u64);
        let eid = process
            .world
            .engine
            .start(start)
            .await
            .expect("started")
            .eid;
        process.sleep(Duration::from_secs(5)).await;
        eid
    });
    assert_eq!(process.world.result::<u64>(eid), Ok(4_950));
    let trips = process.trips(Duration::ZERO, &eid.to_string());
    let ended = committed(&process, Duration::ZERO, eid);
    println!("100 steps: {ended:?}");
    assert!(
        ended <= Duration::from_millis(1_700),
        "{ended:?}\n{}",
        reported(&trips)
    );
}

/// What an execution takes that ran `n` steps and waits for the message that comes now: from
/// the call of `signal`, and from its end, to the last commit.
fn signalled(n: u64) -> (Duration, Duration, String) {
    let process = process();
    let (eid, called, sent) = process.beside(async {
        let engine = &process.world.engine;
        let start = Start::new("waits").input(&n);
        let eid = engine.start(start).await.expect("started").eid;
        process.sleep(Duration::from_secs(60)).await;
        let called = process.now();
        let message = Signal::on("in").value(&1_u64);
        engine.signal(eid, message).await.expect("sent");
        let sent = process.now();
        process.sleep(Duration::from_secs(5)).await;
        (eid, called, sent)
    });
    assert_eq!(
        process.world.result::<u64>(eid),
        Ok((0..n).sum::<u64>() + 1)
    );
    let ended = committed(&process, called, eid);
    let trips = reported(&process.trips(called, &eid.to_string()));
    println!(
        "signal after {n} steps: {:?}, of it the run {:?}",
        ended - called,
        ended - sent
    );
    println!("{trips}");
    (ended - called, ended - sent, trips)
}

#[test]
fn signal_to_completion_takes_the_time_of_at_most_eight_requests() {
    let (took, _, trips) = signalled(1);
    assert!(took <= 8 * FAR, "{took:?}\n{trips}");
}

#[test]
fn a_resume_after_a_thousand_steps_takes_the_time_of_at_most_six_requests() {
    let (_, took, trips) = signalled(1_000);
    assert!(took <= 6 * FAR, "{took:?}\n{trips}");
    assert!(
        trips.contains("/log/"),
        "the journal was in segments too:\n{trips}"
    );
}
