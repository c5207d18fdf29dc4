//! The rules of the wait queue, each with the requests that the store received and when.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::{join, join_all};
use millpond::domain::ExecutionId;
use millpond::keys::{self, Key, Prefix};
use millpond::ports::{Bucket, Clock, Expect, Fault, Verb, Version};
use millpond_testing::{CountingBucket, FaultBucket, Injection, ManualClock, Pool, Rule};

use super::{Limits, Throttled};

const SECOND: Duration = Duration::from_secs(1);

struct World {
    clock: Arc<ManualClock>,
    faults: Arc<FaultBucket>,
    seen: Arc<CountingBucket>,
    port: Throttled,
}

fn world(limits: Limits) -> World {
    let (faults, clock) = crate::tests::store();
    let seen = Arc::new(CountingBucket::new(Arc::clone(&faults) as Arc<dyn Bucket>));
    let time = Arc::clone(&clock) as Arc<dyn Clock>;
    let port = Throttled::new(Arc::clone(&seen) as Arc<dyn Bucket>, time, limits);
    World {
        clock,
        faults,
        seen,
        port,
    }
}

impl World {
    fn block<F: Future>(&self, future: F) -> F::Output {
        Pool::new().run_until(&self.clock, future)
    }

    /// Every request takes this long.
    fn slow(&self, time: Duration) {
        self.faults.add(Rule::new(Injection::Delay(time)).always());
    }

    fn log(&self) -> Vec<String> {
        let log = self.seen.log();
        log.iter().map(ToString::to_string).collect()
    }

    async fn commit(&self, key: &Key) {
        let expect = Expect::At(Version::new("v0"));
        let _ = self.port.write(key, Bytes::new(), expect).await;
    }

    async fn read(&self, text: &str) -> Result<(), millpond::ports::BucketError> {
        self.port.read(&crate::tests::key(text)).await.map(drop)
    }
}

fn head(last: u8) -> Key {
    let eid = format!("00000000-0000-7000-8000-0000000000{last:02x}");
    keys::head(&ExecutionId::parse(&eid).expect("an id"))
}

/// One request in flight at a time, and unlimited patience.
fn one() -> Limits {
    Limits {
        under_way: 1,
        ..patient()
    }
}

fn patient() -> Limits {
    Limits {
        patience: SECOND * 3_600,
        ..Limits::default()
    }
}

#[test]
fn t1_commits_go_first_and_all_others_in_the_order_of_coming() {
    let world = world(one());
    world.slow(SECOND / 10);
    let (before, commit, effect) = (head(1), head(2), crate::tests::key("a"));
    let prefix = Prefix::parse("p/").expect("a prefix");
    let create = world.port.write(&effect, Bytes::new(), Expect::Absent);
    let (first, list, read, created, ()) = world.block(async {
        futures::join!(
            world.port.read(&before),
            world.port.list(&prefix, None, 1),
            world.read("r"),
            create,
            world.commit(&commit),
        )
    });
    assert!(first.is_ok() && list.is_ok() && read.is_ok() && created.is_ok());
    let commit = format!("replace {commit}");
    let before = format!("read {before}");
    assert_eq!(
        world.log(),
        [&before, &commit, "list p/", "read r", "create a"]
    );
    assert_eq!(world.clock.monotonic(), SECOND / 2);
}

#[test]
fn t1_a_list_waits_for_no_more_than_what_comes_within_its_grace() {
    let world = world(one());
    // The store serves 10 per second; 20 commits per second arrive, for 10 seconds.
    world.slow(SECOND / 10);
    let commits = (0..200_u32).map(|n| {
        let world = &world;
        async move {
            world.clock.sleep(SECOND / 20 * n).await;
            world.commit(&head((n % 200) as u8)).await;
        }
    });
    let list = async {
        world.clock.sleep(SECOND + SECOND / 40).await;
        world
            .port
            .list(&Prefix::all(), None, 1)
            .await
            .expect("a page");
        world.clock.monotonic()
    };
    let (_, listed) = world.block(join(join_all(commits), list));
    // 61 commits arrived within 2 s (its grace) after it; then it is sent.
    let at = world.log().iter().position(|line| line.starts_with("list"));
    assert_eq!(at, Some(61));
    assert_eq!(listed, SECOND / 10 * 62);
}

#[test]
fn t2_a_partition_that_is_sent_away_is_asked_slowly_and_the_others_as_before() {
    let world = world(patient());
    let bad = Rule::new(Injection::SlowDown(None)).under("x/01/");
    world.faults.add(bad.always());
    let bad = join_all((0..40).map(|_| world.commit_of(1)));
    let good = async {
        let mut ends = Vec::new();
        for _ in 0..40 {
            world.clock.sleep(SECOND / 10).await;
            world.commit(&head(2)).await;
            ends.push(world.clock.monotonic());
        }
        ends
    };
    let (_, good) = world.block(join(bad, good));
    let wanted: Vec<_> = (1..=40).map(|n| SECOND / 10 * n).collect();
    assert_eq!(good, wanted, "the others never waited");
    let standing = world.port.standing();
    assert_eq!((standing.slowed, standing.slow_downs), (1, 40));
    assert_eq!((standing.waiting, standing.under_way), (0, 0));
}

impl World {
    async fn commit_of(&self, shard: u8) -> Duration {
        self.commit(&head(shard)).await;
        self.clock.monotonic()
    }
}

#[test]
fn t2_a_slowed_partition_takes_a_quarter_of_what_may_be_under_way_and_leaves_the_rest() {
    let world = world(Limits {
        under_way: 4,
        calm: SECOND * 3_600,
        ..patient()
    });
    let slow = |injection| Rule::new(injection).under("x/01/");
    world.faults.add(slow(Injection::SlowDown(None)));
    world
        .faults
        .add(slow(Injection::Delay(SECOND * 60)).always());
    world.block(world.commit(&head(1)));
    let slowed = join_all((0..8).map(|_| world.commit_of(1)));
    let other = async {
        // By now eight would be in flight at the minimum pace.
        world.clock.sleep(SECOND * 30).await;
        world.commit_of(2).await
    };
    let (slowed, other) = world.block(join(slowed, other));
    assert_eq!(other, SECOND * 30);
    let wanted: Vec<_> = (1..=8).map(|n| SECOND + SECOND * 60 * n).collect();
    assert_eq!(slowed, wanted, "one at a time");
}

#[test]
fn t2_the_pace_is_halved_by_refusals_down_to_the_slowest_and_rises_with_successes() {
    let world = world(patient());
    let bad = Rule::new(Injection::SlowDown(None)).under("x/01/");
    world.faults.add(bad.times(6));
    let ends = world.block(async {
        let mut ends = Vec::new();
        for _ in 0..10 {
            ends.push(world.commit_of(1).await.as_millis());
        }
        ends
    });
    // One request per second while the store throttles; then each success shortens the next gap.
    assert_eq!(ends[..6], [0, 1_000, 2_000, 3_000, 4_000, 5_000]);
    assert_eq!(ends[6..], [6_000, 7_000, 7_500, 7_833]);
}

#[test]
fn t3_what_the_store_asks_to_wait_is_kept_to_by_the_whole_partition_a_minute_at_most() {
    for (asked, kept) in [(7, 7), (3_600, 60)] {
        let world = world(patient());
        let wait = Some(SECOND * asked);
        world
            .faults
            .add(Rule::new(Injection::SlowDown(wait)).under("x/01/"));
        world.block(world.commit(&head(1)));
        let all = join_all([world.commit_of(1), world.commit_of(1), world.commit_of(2)]);
        let ends = world.block(all);
        assert_eq!(ends[0], SECOND * kept);
        assert!(ends[1] >= SECOND * kept);
        assert_eq!(ends[2], Duration::ZERO);
    }
}

#[test]
fn t4_a_request_that_would_wait_too_long_fails_at_once_and_is_not_sent() {
    let world = world(Limits::default());
    let wait = Some(SECOND * 30);
    world
        .faults
        .add(Rule::new(Injection::SlowDown(wait)).always());
    let first = world.block(world.read("a/b")).expect_err("sent away");
    assert_eq!(first.wait(), SECOND * 30);
    world.clock.advance(SECOND * 10);
    let kept = world.block(world.read("a/c")).expect_err("kept back");
    assert_eq!((kept.fault, kept.verb), (Fault::Throttled, Verb::Read));
    assert_eq!(kept.wait(), SECOND * 20);
    assert_eq!(world.clock.monotonic(), SECOND * 10, "at once");
    // Within the patience, the request waits and is sent.
    world.clock.advance(SECOND * 16);
    world.faults.heal();
    world.block(world.read("a/d")).expect("served");
    assert_eq!(world.clock.monotonic(), SECOND * 30);
    assert_eq!(world.log(), ["read a/b", "read a/d"]);
    assert_eq!(world.port.standing().kept_back, 1);
}

#[test]
fn t4_patience_ends_behind_a_store_that_does_not_answer_too() {
    let world = world(Limits {
        under_way: 1,
        ..Limits::default()
    });
    world.slow(SECOND * 60);
    let (first, second) = world.block(join(world.read("a"), async {
        let ended = world.read("b").await;
        (ended, world.clock.monotonic())
    }));
    first.expect("served");
    let (ended, at) = second;
    assert_eq!(ended.expect_err("kept back").fault, Fault::Throttled);
    assert_eq!(at, Limits::default().patience);
    assert_eq!(world.log(), ["read a"]);
}

#[test]
fn who_goes_away_gives_its_place_back() {
    let world = world(one());
    world.slow(SECOND);
    let pool = Pool::new();
    {
        let mut under_way = pin!(world.read("a"));
        assert!(pool.run_until_stalled(under_way.as_mut()).is_none());
        let mut waiting = pin!(world.read("b"));
        assert!(pool.run_until_stalled(waiting.as_mut()).is_none());
        let standing = world.port.standing();
        assert_eq!((standing.under_way, standing.waiting), (1, 1));
    }
    let standing = world.port.standing();
    assert_eq!((standing.under_way, standing.waiting), (0, 0));
    world.block(world.read("c")).expect("served");
    assert_eq!(world.log(), ["read a", "read c"]);
}

#[test]
fn one_whose_turn_came_as_it_went_away_holds_up_nobody() {
    let world = world(one());
    world.slow(SECOND);
    let pool = Pool::new();
    let mut first = pin!(world.read("a"));
    assert!(pool.run_until_stalled(first.as_mut()).is_none());
    {
        let mut second = pin!(world.read("b"));
        assert!(pool.run_until_stalled(second.as_mut()).is_none());
        // The first ends, which admits the second, but the second is no longer polled.
        world.clock.advance(SECOND);
        assert!(pool.run_until_stalled(first.as_mut()).is_some());
        assert_eq!(world.port.standing().under_way, 1);
    }
    assert_eq!(world.port.standing().under_way, 0);
    world.block(world.read("c")).expect("served");
}
