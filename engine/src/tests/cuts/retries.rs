//! Cuts of executions that fail, and are retried once the cause is mended.

use std::time::Duration;

use futures::future::join;

use super::super::ledger::Ledger;
use super::apps::{HOUR, step};
use super::{Act, Scenario, run, skip, start};
use crate::client::EngineError;
use crate::domain::Status::Completed;
use crate::domain::{Actor, RetryRequest, Status};
use crate::ports::Clock;
use crate::{Attempt, Context, Failed, Retry, StepError};

/// A step, then two at once of which one fails in the first ten minutes that there are, then a last one.
pub(super) async fn breaks(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    let mended: jiff::Timestamp = "2026-01-01T00:10:00Z".parse().expect("an instant");
    let first = step(&ctx, &ledger, "first", n).await?;
    let own = ledger.clone();
    let broken = ctx.step("broken", move |attempt: Attempt| {
        own.effect(&attempt);
        let works = own.clock().now() >= mended;
        async move {
            match works {
                true => Ok(10_u64),
                false => Err(StepError::new("Broken", "not yet mended")),
            }
        }
    });
    let broken = broken.retry(Retry::none());
    let (broken, beside) = join(broken, step(&ctx, &ledger, "beside", 100)).await;
    let sum = first + broken? + beside?;
    Ok(sum + step(&ctx, &ledger, "last", 1_000).await?)
}

/// Passes on what its child comes to.
pub(super) async fn passes(ctx: Context, n: u64) -> Result<u64, Failed> {
    Ok(ctx.child_named::<u64>("breaks", &n).await? + 10_000)
}

/// Retries it, once it has failed.
fn retry(of: &'static str) -> Act {
    let eid = super::super::keyed(of);
    Box::new(move |world| {
        let ask = world
            .engine
            .retry(eid, RetryRequest::new(), Actor::human("ada"));
        match world.block(ask) {
            Ok(()) => true,
            // An earlier try of this act was carried out.
            Err(EngineError::NotRetried { status, .. }) => status == Status::Completed,
            Err(_) => false,
        }
    })
}

fn acts(of: &'static str) -> Vec<Act> {
    let again = skip(Duration::from_secs(31));
    vec![
        start(of, 1),
        run(),
        again,
        run(),
        skip(HOUR),
        retry(of),
        run(),
    ]
}

#[test]
fn g1_a_step_that_failed_beside_one_that_succeeded() {
    let scenario = Scenario::new(acts("breaks"), ("breaks", Completed, "1111"));
    let scenario = scenario.sends("execution.retried");
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn g5_a_child_that_failed() {
    let scenario = Scenario::new(acts("passes"), ("passes", Completed, "11111")).executions(2);
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}
