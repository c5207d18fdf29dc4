//! Tests of the bucket that injects faults by script.

use std::sync::Arc;
use std::time::Duration;

use futures::executor::block_on;

use super::{body, clock, key, memory, write};
use crate::keys::Prefix;
use crate::ports::{Bucket, BucketError, Clock, Expect, Fault, Outcome};
use crate::testing::{CountingBucket, FaultBucket, Injection, MemoryBucket, Pool, Rule, Verb};

fn faulty(rules: impl IntoIterator<Item = Rule>) -> (Arc<MemoryBucket>, FaultBucket) {
    let inner = memory();
    let bucket = FaultBucket::new(inner.clone(), clock());
    rules.into_iter().for_each(|rule| bucket.add(rule));
    (inner, bucket)
}

fn create(bucket: &dyn Bucket, at: &str) -> Result<Outcome, BucketError> {
    block_on(bucket.write(&key(at), "1".into(), Expect::Absent))
}

fn fault<T: std::fmt::Debug>(answer: Result<T, BucketError>) -> Fault {
    answer.expect_err("the script injects an error").fault
}

#[test]
fn a_request_that_was_not_sent_has_done_nothing() {
    let (inner, bucket) = faulty([Rule::new(Injection::NotSent)]);
    assert_eq!(fault(create(&bucket, "a")), Fault::Unavailable);
    assert!(inner.is_empty());
    assert!(write(&bucket, "a", "1", Expect::Absent).is_some());
}

#[test]
fn a_write_whose_reply_is_lost_has_landed_and_is_answered_unknown() {
    let (inner, bucket) = faulty([Rule::new(Injection::LandedReplyLost)]);
    assert_eq!(create(&bucket, "a").unwrap(), Outcome::Unknown);
    assert_eq!(inner.len(), 1);
}

#[test]
fn a_delete_whose_reply_is_lost_has_happened() {
    let (inner, bucket) = faulty([Rule::new(Injection::LandedReplyLost).on(Verb::Delete)]);
    write(&bucket, "a", "1", Expect::Absent).unwrap();
    assert_eq!(
        fault(block_on(bucket.delete(&key("a")))),
        Fault::Unavailable
    );
    assert!(inner.is_empty());
}

#[test]
fn a_held_write_lands_when_it_is_released_unless_another_came_first() {
    let (inner, bucket) = faulty([Rule::new(Injection::Held).times(2)]);
    assert_eq!(create(&bucket, "a").unwrap(), Outcome::Unknown);
    assert_eq!(create(&bucket, "b").unwrap(), Outcome::Unknown);
    assert!(inner.is_empty());
    write(&bucket, "b", "2", Expect::Absent).unwrap();
    let late = block_on(bucket.release()).unwrap();
    assert!(matches!(late[..], [Outcome::Landed(_), Outcome::Refused]));
    assert_eq!(body(&*inner, "b").unwrap(), "2");
}

#[test]
fn a_dead_process_does_nothing_more() {
    for (injection, landed) in [(Injection::Died, 0), (Injection::LandedAndDied, 1)] {
        let (inner, bucket) = faulty([Rule::new(injection).at(0)]);
        let _ = create(&bucket, "a");
        assert!(bucket.is_dead());
        assert_eq!(inner.len(), landed, "{injection:?}");
        assert_eq!(fault(create(&bucket, "b")), Fault::Gone);
        assert_eq!(fault(block_on(bucket.read(&key("a")))), Fault::Gone);
        assert_eq!(fault(block_on(bucket.delete(&key("a")))), Fault::Gone);
        let listed = block_on(bucket.list(&Prefix::all(), None, 1));
        assert_eq!(fault(listed), Fault::Gone);
        assert_eq!(inner.len(), landed, "{injection:?}");
    }
}

#[test]
fn the_write_that_landed_while_dying_is_never_called_certainly_lost() {
    let (_, bucket) = faulty([Rule::new(Injection::LandedAndDied)]);
    assert_eq!(create(&bucket, "a").unwrap(), Outcome::Unknown);
}

#[test]
fn a_refusal_by_script_meets_one_write_and_no_read() {
    let (inner, bucket) = faulty([Rule::new(Injection::Refused)]);
    assert_eq!(body(&bucket, "a"), None);
    assert_eq!(create(&bucket, "a").unwrap(), Outcome::Refused);
    assert!(inner.is_empty());
    assert!(write(&bucket, "a", "1", Expect::Absent).is_some());
}

#[test]
fn a_rule_meets_only_the_requests_it_names() {
    let error = Injection::Error(Fault::Throttled);
    let (_, bucket) = faulty([Rule::new(error).on_writes().under("b/").skip(1).times(2)]);
    let met: Vec<_> = ["b/1", "a/1", "b/2", "b/3", "b/4"]
        .map(|at| create(&bucket, at).is_err())
        .into();
    assert_eq!(met, [false, false, true, true, false]);
    assert_eq!(body(&bucket, "b/2"), None);
}

#[test]
fn a_rule_at_a_number_meets_that_request_of_any_verb() {
    let (inner, bucket) = faulty([Rule::new(Injection::NotSent).at(1)]);
    write(&bucket, "a", "1", Expect::Absent).unwrap();
    assert_eq!(
        fault(block_on(bucket.delete(&key("a")))),
        Fault::Unavailable
    );
    block_on(bucket.delete(&key("a"))).unwrap();
    assert!(inner.is_empty());
    assert_eq!(bucket.requests(), 3);
}

#[test]
fn a_rule_for_always_is_never_spent() {
    let (_, bucket) = faulty([Rule::new(Injection::Error(Fault::Denied))
        .under("a")
        .always()]);
    assert!((0..100).all(|_| fault(create(&bucket, "a")) == Fault::Denied));
}

#[test]
fn a_delayed_write_happens_after_its_sleep() {
    let (clock, inner, pool) = (clock(), memory(), Pool::new());
    let bucket = FaultBucket::new(inner.clone(), clock.clone());
    bucket.add(Rule::new(Injection::Delay(Duration::from_secs(3))));
    let at = key("a");
    let mut slow = bucket.write(&at, "1".into(), Expect::Absent);
    assert!(pool.run_until_stalled(&mut slow).is_none());
    assert!(inner.is_empty());
    assert!(matches!(
        pool.run_until(&clock, slow),
        Ok(Outcome::Landed(_))
    ));
    assert_eq!(clock.monotonic(), Duration::from_secs(3));
}

#[test]
fn a_write_that_its_own_retry_refuses_has_landed() {
    let (inner, bucket) = faulty([Rule::new(Injection::LandedRefused)]);
    assert_eq!(body(&bucket, "a"), None, "it meets no read");
    assert_eq!(create(&bucket, "a").unwrap(), Outcome::Refused);
    assert_eq!(inner.len(), 1);
}

#[test]
fn a_conflict_meets_one_write_which_did_not_happen() {
    let (inner, bucket) = faulty([Rule::new(Injection::Conflicted)]);
    assert_eq!(body(&bucket, "a"), None, "it meets no read");
    let error = create(&bucket, "a").unwrap_err();
    assert!(error.is_transient(), "{error}");
    assert!(inner.is_empty());
    assert!(write(&bucket, "a", "1", Expect::Absent).is_some());
}

#[test]
fn a_throttling_store_may_specify_when_to_retry() {
    for wait in [None, Some(Duration::from_secs(3))] {
        let (inner, bucket) = faulty([Rule::new(Injection::SlowDown(wait)).times(2)]);
        let write = create(&bucket, "a").unwrap_err();
        let list = block_on(bucket.list(&Prefix::all(), None, 1)).unwrap_err();
        for error in [write, list] {
            assert_eq!((error.fault, error.retry_after), (Fault::Throttled, wait));
        }
        assert!(inner.is_empty());
    }
}

/// The reads, of `count` in total, that a rule applies to.
fn drawn(rule: Rule, count: u32) -> Vec<bool> {
    let (_, bucket) = faulty([rule]);
    let read = |_| block_on(bucket.read(&key("a"))).is_err();
    (0..count).map(read).collect()
}

#[test]
fn a_share_is_met_as_its_seed_draws_and_the_same_requests_each_time() {
    let share =
        |per_mille, seed| drawn(Rule::new(Injection::NotSent).share(per_mille, seed), 10_000);
    let met = |drawn: &[bool]| drawn.iter().filter(|met| **met).count();
    assert_eq!((met(&share(0, 1)), met(&share(1_000, 1))), (0, 10_000));
    for seed in 0..20 {
        let drawn = share(300, seed);
        assert_eq!(drawn, share(300, seed), "SEED={seed}");
        assert_ne!(drawn, share(300, seed + 1), "SEED={seed}");
        // Four standard deviations.
        let met = met(&drawn);
        assert!((2_817..=3_183).contains(&met), "SEED={seed}: {met}");
    }
}

#[test]
fn a_rule_that_is_copied_draws_from_the_start() {
    let rule = Rule::new(Injection::NotSent).share(500, 9);
    assert_eq!(drawn(rule.clone(), 100), drawn(rule, 100));
}

#[test]
fn a_share_is_of_the_requests_that_fit_and_goes_with_every_injection() {
    for injection in [
        Injection::NotSent,
        Injection::LandedReplyLost,
        Injection::LandedRefused,
        Injection::Held,
        Injection::Refused,
        Injection::Conflicted,
        Injection::SlowDown(None),
        Injection::Delay(Duration::ZERO),
        Injection::Error(Fault::Denied),
    ] {
        let rule = Rule::new(injection).on_writes().under("b/").share(250, 3);
        let (_, bucket) = faulty([rule]);
        for n in 0..400 {
            let _ = create(&bucket, &format!("a/{n}"));
            let _ = body(&bucket, &format!("b/{n}"));
        }
        assert_eq!(bucket.met(), 0, "{injection:?}");
        for n in 0..400 {
            let _ = create(&bucket, &format!("b/{n}"));
        }
        assert!(
            (66..=134).contains(&bucket.met()),
            "{injection:?}: {}",
            bucket.met()
        );
    }
}

#[test]
fn a_share_can_be_cut_off_and_what_it_does_not_draw_meets_the_next_rule() {
    let first = Rule::new(Injection::Error(Fault::Denied))
        .share(500, 4)
        .times(10);
    let then = Rule::new(Injection::Error(Fault::Full)).always();
    let (_, bucket) = faulty([first, then]);
    let faults: Vec<Fault> = (0..100).map(|_| fault(create(&bucket, "a"))).collect();
    let denied = faults.iter().filter(|fault| **fault == Fault::Denied);
    assert_eq!(denied.count(), 10);
    assert!(faults[..30].contains(&Fault::Full));
    assert!(faults[60..].iter().all(|fault| *fault == Fault::Full));
}

#[test]
fn a_window_opens_and_closes_by_the_clock_since_the_rule_was_added() {
    let (clock, second) = (clock(), Duration::from_secs(1));
    let bucket = FaultBucket::new(memory(), clock.clone());
    clock.advance(100 * second);
    let rule = Rule::new(Injection::NotSent).always();
    bucket.add(rule.after(10 * second).lasting(600 * second));
    let mut met = Vec::new();
    for _ in 0..700 {
        met.push(block_on(bucket.read(&key("a"))).is_err());
        clock.advance(second);
    }
    let open: Vec<_> = (0..700).filter(|at| met[*at]).collect();
    assert_eq!(open, (10..610).collect::<Vec<_>>());
    assert_eq!(bucket.met(), 600);
}

#[test]
fn requests_that_were_sent_away_are_counted() {
    let inner = FaultBucket::new(memory(), clock());
    inner.add(Rule::new(Injection::SlowDown(None)).times(3));
    inner.add(Rule::new(Injection::NotSent).times(2));
    let bucket = CountingBucket::new(Arc::new(inner));
    for _ in 0..7 {
        let _ = create(&bucket, "a");
    }
    let counts = bucket.counts();
    assert_eq!((counts.writes, counts.throttled), (7, 3));
}
