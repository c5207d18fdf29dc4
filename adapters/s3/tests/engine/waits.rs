//! Timers, time-outs, and races of waits.

use std::time::Duration;

use millpond::client::{App, EngineError, FrameStatus, Signal, Start};
use millpond::{Context, Failed};

use crate::stage::Store;

const SECOND: Duration = Duration::from_secs(1);

/// Sleeps, then waits for what does not come.
async fn naps(ctx: Context, (): ()) -> Result<(bool, bool), Failed> {
    let before = ctx.now();
    ctx.sleep(SECOND).await?;
    let slept = ctx.now().duration_since(before).unsigned_abs() >= SECOND;
    let nothing = ctx.receive::<u64>("in").timeout(SECOND).await?;
    Ok((slept, nothing.is_none()))
}

#[tokio::test]
async fn a_timer_and_a_timeout_pass_by_the_stores_time() {
    let (_store, process) = Store::at_work(App::new().workflow("naps", "1", naps)).await;
    let eid = process.start(Start::new("naps")).await;
    process.suspended(eid).await;
    assert_eq!(process.result(eid).await, Ok((true, true)));
    assert_eq!(process.engine.execution(eid).await.unwrap().timer, None);
}

async fn race(ctx: Context, more: bool) -> Result<u64, Failed> {
    let month = SECOND * 86_400 * 30;
    let first = millpond::select! {
        a = ctx.receive::<u64>("a") => a?,
        b = ctx.receive::<u64>("b") => b?,
        slept = ctx.sleep(month) => { slept?; 0 }
    };
    if !more {
        return Ok(first);
    }
    let then = ctx.receive::<u64>("in").await?;
    // What lost the race is still there for a later wait.
    Ok(first + then + ctx.receive::<u64>("b").await?)
}

fn on(channel: &str, n: u64) -> Signal {
    Signal::on(channel).value(&n)
}

#[tokio::test]
async fn case_03_a_race_leaves_no_timer_and_no_wait_of_the_losers() {
    let (_store, process) = Store::at_work(App::new().workflow("race", "1", race)).await;
    let engine = &process.engine;
    for more in [false, true] {
        let eid = process.start(Start::new("race").input(&more)).await;
        process.suspended(eid).await;
        assert!(engine.execution(eid).await.unwrap().timer.is_some());
        process.signal(eid, on("a", 3)).await;
        if more {
            process
                .ended(eid, |ended| {
                    matches!(ended, millpond::client::Ended::Suspended(None))
                })
                .await;
            let root = engine.frames(eid).await.unwrap();
            let waits = root.frames.iter();
            let waiting = waits.filter(|frame| frame.status == FrameStatus::Waiting);
            assert_eq!(waiting.count(), 1, "{root:?}");
            process.signal(eid, on("b", 4)).await;
            process.signal(eid, on("in", 5)).await;
        }
        let expected = if more { 12 } else { 3 };
        assert_eq!(process.result::<u64>(eid).await, Ok(expected));
        assert_eq!(engine.execution(eid).await.unwrap().timer, None);
        let late = engine.signal(eid, on("b", 4)).await.unwrap_err();
        assert!(
            matches!(late, EngineError::TerminalExecution { .. }),
            "{late}"
        );
    }
    let audit = engine.audit().await.unwrap();
    assert!(audit.findings.is_empty(), "{audit:?}");
}
