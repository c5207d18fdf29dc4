//! Children: a fan-out, and one that fails.

use futures::future::try_join_all;
use millpond::client::{App, Start};
use millpond::{Attempt, Context, Failed, FrameError};

use crate::ledger::Ledger;
use crate::stage::Store;

async fn parent(ctx: Context, n: u64) -> Result<u64, Failed> {
    let children = (0..n).map(|at| ctx.child_named::<u64>("child", &at));
    Ok(try_join_all(children).await?.into_iter().sum())
}

async fn child(ctx: Context, n: u64, ledger: Ledger) -> Result<u64, Failed> {
    let step = ctx.step("double", move |attempt: Attempt| {
        ledger.clone().gives(attempt, n * 2)
    });
    Ok(step.await?)
}

#[tokio::test]
async fn i5_fifty_children_run_once_each_and_their_parent_hears_each_once() {
    let ledger = Ledger::default();
    let own = ledger.clone();
    let app = App::new()
        .workflow("parent", "1", parent)
        .workflow("child", "1", move |ctx, n| child(ctx, n, own.clone()));
    let (_store, process) = Store::at_work(app).await;
    let eid = process.start(Start::new("parent").input(&50_u64)).await;
    assert_eq!(process.result::<u64>(eid).await, Ok(50 * 49));
    assert_eq!(ledger.attempts(), vec![vec![1]; 50]);
}

async fn asks(ctx: Context, (): ()) -> Result<String, Failed> {
    match ctx.child_named::<u64>("falls", &()).await {
        Err(FrameError::ChildFailed { failure, .. }) => Ok(failure.kind),
        other => Err(Failed::new("Unexpected", format!("{other:?}"))),
    }
}

async fn falls(_: Context, (): ()) -> Result<u64, Failed> {
    Err(Failed::new("Fell", "it always does"))
}

#[tokio::test]
async fn a_childs_failure_reaches_its_parent_as_an_error_that_can_be_matched() {
    let app = App::new()
        .workflow("asks", "1", asks)
        .workflow("falls", "1", falls);
    let (_store, process) = Store::at_work(app).await;
    let eid = process.start(Start::new("asks")).await;
    assert_eq!(process.result::<String>(eid).await, Ok("Fell".to_owned()));
}
