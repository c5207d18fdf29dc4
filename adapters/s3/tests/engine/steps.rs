//! Steps: one after the other, tried again, given up, out of time.

use std::time::Duration;

use millpond::client::{App, Start};
use millpond::domain::kind;
use millpond::{Attempt, Context, Failed, Retry, StepError};

use crate::ledger::Ledger;
use crate::stage::Store;

const MILLISECOND: Duration = Duration::from_millis(1);

async fn sequential(ctx: Context, n: u64, ledger: Ledger) -> Result<u64, Failed> {
    let mut sum = 0;
    for at in 0..n {
        let ledger = ledger.clone();
        let step = ctx.step("add", move |attempt: Attempt| {
            ledger.clone().gives(attempt, at)
        });
        sum += step.await?;
    }
    Ok(sum)
}

#[tokio::test]
async fn steps_that_follow_each_other_run_once_each() {
    let ledger = Ledger::default();
    let own = ledger.clone();
    let app = App::new().workflow("sequential", "1", move |ctx, n| {
        sequential(ctx, n, own.clone())
    });
    let (_store, process) = Store::at_work(app).await;
    let eid = process.start(Start::new("sequential").input(&20_u64)).await;
    assert_eq!(process.result::<u64>(eid).await, Ok(190));
    assert_eq!(ledger.attempts(), vec![vec![1]; 20]);
}

/// Fails until the attempt with this number.
async fn stubborn(ctx: Context, until: u32, ledger: Ledger) -> Result<u32, Failed> {
    let step = ctx.step("stubborn", move |attempt: Attempt| {
        ledger.effect(&attempt);
        async move {
            match attempt.number() {
                number if number >= until => Ok(number),
                number => Err(StepError::new("Busy", format!("attempt {number}"))),
            }
        }
    });
    // Short ones are waited for in place, the long one suspends.
    let retry = Retry::exponential(4).initial(MILLISECOND * 10).factor(8.0);
    Ok(step.retry(retry.jitter(false)).await?)
}

#[tokio::test]
async fn a_step_is_tried_again_until_it_succeeds_or_is_given_up() {
    let ledger = Ledger::default();
    let own = ledger.clone();
    let app = App::new().workflow("stubborn", "1", move |ctx, until| {
        stubborn(ctx, until, own.clone())
    });
    let (_store, process) = Store::at_work(app).await;
    let eid = process.start(Start::new("stubborn").input(&3_u32)).await;
    assert_eq!(process.result::<u32>(eid).await, Ok(3));
    assert_eq!(ledger.attempts(), [[1, 2, 3]]);
    let eid = process.start(Start::new("stubborn").input(&9_u32)).await;
    let failure = process.result::<u32>(eid).await.unwrap_err();
    assert_eq!(failure.kind, "Busy");
    assert!(failure.message.contains("attempt 4"), "{failure}");
    assert_eq!(ledger.count(), 3 + 4);
}

async fn endless(ctx: Context, (): ()) -> Result<(), Failed> {
    let step = ctx.step("endless", |attempt: Attempt| async move {
        attempt.cancelled().await;
        std::future::pending::<Result<(), StepError>>().await
    });
    let step = step.timeout(MILLISECOND * 200).retry(Retry::none());
    Ok(step.await?)
}

#[tokio::test]
async fn a_step_that_takes_longer_than_it_may_fails_with_that_kind() {
    let (_store, process) = Store::at_work(App::new().workflow("endless", "1", endless)).await;
    let eid = process.start(Start::new("endless")).await;
    let failure = process.result::<()>(eid).await.unwrap_err();
    assert_eq!(failure.kind, kind::TIMEOUT);
}
