//! What operators say: cancel, terminate, pause, resume.

use std::time::Duration;

use millpond::client::{App, Ended, Signal, Start};
use millpond::domain::{Actor, Status, kind};
use millpond::{Attempt, Context, Failed};

use crate::ledger::Ledger;
use crate::stage::{LONG, Store};

/// Three open frames, and a step that cleans up after them.
async fn rental(ctx: Context, ledger: Ledger) -> Result<u64, Failed> {
    let (message, slept, child) = futures::join!(
        ctx.receive::<u64>("in"),
        ctx.sleep(Duration::from_secs(3_600)),
        ctx.child_named::<u64>("sums", &1_u64),
    );
    slept.expect_err("it is cancelled");
    child.expect_err("it is cancelled");
    let tidy = ctx.shielded().step("tidy", move |attempt: Attempt| {
        ledger.clone().gives(attempt, 1_u64)
    });
    tidy.await?;
    Ok(message?)
}

async fn sums(ctx: Context, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for _ in 0..n {
        sum += ctx.receive::<u64>("in").await?;
    }
    Ok(sum)
}

fn app(ledger: &Ledger) -> App {
    let ledger = ledger.clone();
    App::new()
        .workflow("sums", "1", sums)
        .workflow("rental", "1", move |ctx, (): ()| {
            rental(ctx, ledger.clone())
        })
}

fn ada() -> Actor {
    Actor::human("ada")
}

#[tokio::test]
async fn a_cancelled_execution_cleans_up_and_a_terminated_one_runs_no_more_code() {
    let ledger = Ledger::default();
    let (_store, process) = Store::at_work(app(&ledger)).await;
    let engine = &process.engine;
    for cancel in [true, false] {
        let eid = process.start(Start::new("rental")).await;
        process.suspended(eid).await;
        if cancel {
            engine.cancel(eid, "no longer", ada()).await.unwrap();
        } else {
            engine.terminate(eid, "no longer", ada()).await.unwrap();
        }
        let outcome = engine.result(eid, LONG).await.unwrap();
        assert_eq!(outcome.status, Status::Cancelled);
        let failure = outcome.value.unwrap_err();
        let expected = match cancel {
            true => kind::CANCELLED,
            false => kind::TERMINATED,
        };
        assert_eq!(failure.kind, expected);
        assert_eq!(ledger.count(), 1, "the clean-up of the first one only");
        // Its child is told.
        let name = millpond::domain::FrameName::parse("sums").unwrap();
        let child = eid.child(&millpond::FrameId::root().nth(&name, 0));
        let ended = engine.result(child, LONG).await.unwrap();
        assert_eq!(ended.status, Status::Cancelled);
    }
}

#[tokio::test]
async fn a_paused_execution_keeps_what_comes_and_goes_on_from_there() {
    let (_store, process) = Store::at_work(app(&Ledger::default())).await;
    let engine = &process.engine;
    let number = |n: u64| Signal::on("in").value(&n);
    let eid = process.start(Start::new("sums").input(&2_u64)).await;
    process.suspended(eid).await;
    engine.pause(eid, "look first", ada()).await.unwrap();
    let parked = |ended: &Ended| matches!(ended, Ended::Parked(Status::Paused));
    process.ended(eid, parked).await;
    process.signal(eid, number(1)).await;
    process.signal(eid, number(10)).await;
    assert_eq!(engine.status(eid).await.unwrap(), Status::Paused);
    engine.resume(eid, ada()).await.unwrap();
    assert_eq!(process.result::<u64>(eid).await, Ok(11));
}
