//! Tests of the delay of a delayed bucket.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;

use super::{clock, key};
use crate::keys::Prefix;
use crate::ports::{Bucket, Clock};
use crate::testing::{Delayed, FaultBucket, ManualClock, MemoryBucket, Pool};

const MILLI: Duration = Duration::from_millis(1);

fn store() -> (Arc<FaultBucket>, Arc<ManualClock>) {
    let clock = clock();
    let memory = Arc::new(MemoryBucket::new(Arc::clone(&clock) as Arc<dyn Clock>));
    let faults = FaultBucket::new(memory, Arc::clone(&clock) as Arc<dyn Clock>);
    (Arc::new(faults), clock)
}

#[test]
fn requests_one_after_the_other_add_up_and_those_side_by_side_do_not() {
    let (faults, clock) = store();
    let time = Arc::clone(&clock) as Arc<dyn Clock>;
    let far = Delayed::fixed(faults as Arc<dyn Bucket>, time, 15 * MILLI);
    let block = |requests| Pool::new().run_until(&clock, requests);
    block(Box::pin(async {
        far.read(&key("a")).await.unwrap();
        far.list(&Prefix::all(), None, 1).await.unwrap();
        far.delete(&key("a")).await.unwrap();
    }) as futures::future::BoxFuture<'_, ()>);
    assert_eq!(clock.monotonic(), 45 * MILLI);
    let key = key("a");
    block(Box::pin(async {
        join_all((0..10).map(|_| far.read(&key))).await;
    }));
    assert_eq!(clock.monotonic(), 60 * MILLI);
}

#[test]
fn a_seed_draws_the_same_delays_again_each_within_its_bounds() {
    let delays = |seed| {
        let (faults, clock) = store();
        let time = Arc::clone(&clock) as Arc<dyn Clock>;
        let (least, most) = (5 * MILLI, 25 * MILLI);
        let far = Delayed::seeded(faults as Arc<dyn Bucket>, time, least, most, seed);
        let one = || {
            let before = clock.monotonic();
            let read = Pool::new().run_until(&clock, far.read(&key("a")));
            assert!(read.unwrap().is_none());
            clock.monotonic() - before
        };
        (0..50).map(|_| one()).collect::<Vec<_>>()
    };
    let seven = delays(7);
    assert_eq!(seven, delays(7));
    assert_ne!(seven, delays(8));
    assert!(
        seven
            .iter()
            .all(|delay| (5 * MILLI..25 * MILLI).contains(delay))
    );
    let spread = seven
        .iter()
        .max()
        .unwrap()
        .abs_diff(*seven.iter().min().unwrap());
    assert!(spread > 10 * MILLI, "{spread:?}");
}
