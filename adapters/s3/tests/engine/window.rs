//! Case 22: many items in windows, a kill in the middle.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::try_join_all;
use millpond::client::{App, Start};
use millpond::settings::Settings;
use millpond::{Attempt, Context, Failed, StepError};

use crate::ledger::Ledger;
use crate::stage::Store;

const ITEMS: usize = 300;
const WIDTH: usize = 100;
/// The item at which its process stands still, in the first life.
const FATAL: usize = ITEMS * 6 / 10;

async fn map(ctx: Context, ledger: Ledger, stands: Arc<AtomicBool>) -> Result<usize, Failed> {
    let mut bytes = 0;
    for window in 0..ITEMS / WIDTH {
        let items = (0..WIDTH).map(|at| {
            let (ledger, stands) = (ledger.clone(), Arc::clone(&stands));
            let item = window * WIDTH + at;
            ctx.step("item", move |attempt: Attempt| {
                let still = item == FATAL && stands.load(Ordering::SeqCst);
                ledger.effect(&attempt);
                async move {
                    if still {
                        return std::future::pending().await;
                    }
                    Ok::<_, StepError>(format!("{item:02048}"))
                }
            })
        });
        bytes += try_join_all(items)
            .await?
            .iter()
            .map(String::len)
            .sum::<usize>();
    }
    Ok(bytes)
}

#[tokio::test]
async fn case_22_a_map_in_windows_asks_in_proportion_and_a_kill_redoes_at_most_the_width() {
    let (ledger, stands) = (Ledger::default(), Arc::new(AtomicBool::new(true)));
    let app = || {
        let (ledger, stands) = (ledger.clone(), Arc::clone(&stands));
        App::new().workflow("map", "1", move |ctx, (): ()| {
            map(ctx, ledger.clone(), Arc::clone(&stands))
        })
    };
    let settings = Settings {
        ttl: Duration::from_secs(3),
        ..Settings::default()
    };
    let store = Store::fresh().await;
    let first = store.process(app(), settings.clone()).await;
    let eid = first.start(Start::new("map")).await;
    first.work();
    // All of the second window have begun.
    ledger.reaches(2 * WIDTH).await;
    let spent = first.counting.counts();
    first.kill();
    stands.store(false, Ordering::SeqCst);
    let second = store.process(app(), settings).await;
    second.work();
    assert_eq!(second.result::<usize>(eid).await, Ok(ITEMS * 2_048));
    assert_eq!(ledger.attempts().len(), ITEMS);
    let again = ledger.count() - ITEMS;
    assert!((1..=WIDTH).contains(&again), "{again} steps ran again");
    let all = second.counting.counts();
    let write_requests = spent.write_requests() + all.write_requests();
    assert!(
        write_requests <= ITEMS as u64,
        "{write_requests} write_requests requests for {ITEMS} items"
    );
}
