//! A timer and a time-out.

use std::time::Duration;

use millpond::client::{App, Start};
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
