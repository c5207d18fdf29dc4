//! Cuts of executions whose code gets nowhere for a while.

use std::task::Poll;
use std::time::Duration;

use super::super::ledger::Ledger;
use super::apps::HOUR;
use super::{Act, Command, Scenario, command, run, skip, start};
use crate::domain::Status::Completed;
use crate::ports::Clock;
use crate::{Attempt, Context, Failed};

/// Spins for the first ten minutes that there are; then a step.
pub(super) async fn spins(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    let started: jiff::Timestamp = "2026-01-01T00:10:00Z".parse().expect("an instant");
    let own = ledger.clone();
    let spin = futures::future::poll_fn(move |cx| {
        if own.clock().now() < started {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(())
    });
    spin.await;
    let step = ctx.step("one", move |attempt: Attempt| {
        ledger.clone().gives(attempt, n)
    });
    Ok(step.await?)
}

/// One run after the other, each after the lease of the one before.
fn again() -> [Act; 2] {
    [skip(Duration::from_secs(31)), run()]
}

#[test]
fn i4_a_crash_loop_is_blocked_is_resumed_and_ends() {
    let mut acts = vec![start("spins", 5), run()];
    acts.extend(again().into_iter().chain(again()));
    // Only a word releases it, however long it takes.
    acts.extend([skip(HOUR), command(Command::Resume, "spins"), run()]);
    let scenario = Scenario::new(acts, ("spins", Completed, "5"));
    let scenario = scenario
        .settings(|s| s.max_crashes = 2)
        .sends("execution.blocked");
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}
