//! Starts by several clients at once share no hot key.

use std::sync::Arc;

use futures::future::join_all;
use millpond::client::{App, Start};
use millpond::ports::Bucket;
use millpond::settings::Settings;
use millpond::{Context, Failed};
use millpond_host::StoreClock;
use millpond_wrappers::Metered;

use crate::stage::{Process, Store};

async fn nothing(_: Context, n: u64) -> Result<u64, Failed> {
    Ok(n)
}

#[tokio::test]
async fn starts_by_two_clients_at_once_refuse_no_write() {
    const STARTS: u64 = 20;
    let store = Store::fresh().await;
    let client = async || {
        let bucket = store.open().await;
        let clock = Arc::new(StoreClock::new(Arc::clone(bucket.time())));
        let metered = Arc::new(Metered::new(bucket));
        let bucket = Arc::clone(&metered) as Arc<dyn Bucket>;
        let app = App::new().workflow("nothing", "1", nothing);
        let process = Process::new(bucket, clock, app, Settings::default());
        let starts = (0..STARTS).map(|n| {
            let start = Start::new("nothing").input(&n);
            process.engine.start(start)
        });
        for started in join_all(starts).await {
            assert!(started.unwrap().fresh);
        }
        metered.usage()
    };
    let both = futures::join!(client(), client());
    for usage in [both.0, both.1] {
        let total = usage.total();
        assert_eq!((total.refused, total.unknown, total.throttled), (0, 0, 0));
        assert_eq!(
            (total.requests, usage.write_requests()),
            (2 * STARTS, 2 * STARTS)
        );
    }
}
