//! A worker that vanishes, and workers that race.

use std::time::Duration;

use futures::future::join_all;
use millpond::client::{App, Start};
use millpond::settings::Settings;
use millpond::{Attempt, Context, Failed, StepError};

use crate::ledger::Ledger;
use crate::stage::Store;

/// Three steps. The middle one never ends in its first attempt.
async fn stuck(ctx: Context, ledger: Ledger) -> Result<u32, Failed> {
    let mut sum = 0;
    for at in 0..3 {
        let ledger = ledger.clone();
        let step = ctx.step("part", move |attempt: Attempt| {
            ledger.effect(&attempt);
            async move {
                if (at, attempt.number()) == (1, 1) {
                    return std::future::pending().await;
                }
                Ok::<_, StepError>(attempt.number())
            }
        });
        sum += step.await?;
    }
    Ok(sum)
}

#[tokio::test]
async fn i1_i2_what_a_vanished_worker_ran_is_taken_over_and_only_the_open_step_runs_again() {
    let ledger = Ledger::default();
    let app = || {
        let ledger = ledger.clone();
        App::new().workflow("stuck", "1", move |ctx, (): ()| stuck(ctx, ledger.clone()))
    };
    // As short as a busy machine lets the store answer in a third of it.
    let settings = Settings {
        ttl: Duration::from_secs(3),
        ..Settings::default()
    };
    let store = Store::fresh().await;
    let first = store.process(app(), settings.clone()).await;
    let eid = first.start(Start::new("stuck")).await;
    first.work();
    ledger.reaches(2).await;
    first.kill();
    let second = store.process(app(), settings).await;
    second.work();
    assert_eq!(second.result::<u32>(eid).await, Ok(1 + 2 + 1));
    assert_eq!(ledger.attempts(), [vec![1], vec![1, 2], vec![1]]);
}

async fn pair(ctx: Context, n: u64, ledger: Ledger) -> Result<u64, Failed> {
    let mut sum = 0;
    for _ in 0..2 {
        let ledger = ledger.clone();
        let step = ctx.step("count", move |attempt: Attempt| {
            ledger.clone().gives(attempt, n)
        });
        sum += step.await?;
    }
    Ok(sum)
}

#[tokio::test]
async fn i1_two_workers_that_race_over_100_executions_make_each_steps_effect_once() {
    const EXECUTIONS: u64 = 100;
    let ledger = Ledger::default();
    let app = || {
        let ledger = ledger.clone();
        App::new().workflow("pair", "1", move |ctx, n| pair(ctx, n, ledger.clone()))
    };
    let store = Store::fresh().await;
    let client = store.process(app(), Settings::default()).await;
    let starts = (0..EXECUTIONS).map(|n| client.start(Start::new("pair").input(&n)));
    let eids = join_all(starts).await;
    let workers = [
        store.process(app(), Settings::default()).await,
        store.process(app(), Settings::default()).await,
    ];
    workers.iter().for_each(crate::stage::Process::work);
    for (n, eid) in (0..).zip(eids) {
        assert_eq!(client.result::<u64>(eid).await, Ok(n * 2));
    }
    assert_eq!(ledger.attempts(), vec![vec![1]; 2 * EXECUTIONS as usize]);
}
