//! The bucket that fails by script.

use std::sync::Arc;
use std::time::Duration;

use futures::executor::block_on;

use super::{body, clock, key, memory, write};
use crate::doors::{Bucket, BucketError, Clock, Expect, Fault, Outcome};
use crate::keys::Prefix;
use crate::testing::{Fate, FaultBucket, MemoryBucket, Pool, Rule, Verb};

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
    answer.expect_err("the script says error").fault
}

#[test]
fn a_request_that_was_not_sent_has_done_nothing() {
    let (inner, bucket) = faulty([Rule::new(Fate::NotSent)]);
    assert_eq!(fault(create(&bucket, "a")), Fault::Unavailable);
    assert!(inner.is_empty());
    assert!(write(&bucket, "a", "1", Expect::Absent).is_some());
}

#[test]
fn a_write_whose_reply_is_lost_has_landed_and_is_answered_unknown() {
    let (inner, bucket) = faulty([Rule::new(Fate::LandedReplyLost)]);
    assert_eq!(create(&bucket, "a").unwrap(), Outcome::Unknown);
    assert_eq!(inner.len(), 1);
}

#[test]
fn a_delete_whose_reply_is_lost_has_happened() {
    let (inner, bucket) = faulty([Rule::new(Fate::LandedReplyLost).on(Verb::Delete)]);
    write(&bucket, "a", "1", Expect::Absent).unwrap();
    assert_eq!(
        fault(block_on(bucket.delete(&key("a")))),
        Fault::Unavailable
    );
    assert!(inner.is_empty());
}

#[test]
fn a_held_write_lands_when_it_is_released_unless_another_came_first() {
    let (inner, bucket) = faulty([Rule::new(Fate::Held).times(2)]);
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
    for (fate, landed) in [(Fate::Died, 0), (Fate::LandedAndDied, 1)] {
        let (inner, bucket) = faulty([Rule::new(fate).at(0)]);
        let _ = create(&bucket, "a");
        assert!(bucket.is_dead());
        assert_eq!(inner.len(), landed, "{fate:?}");
        assert_eq!(fault(create(&bucket, "b")), Fault::Gone);
        assert_eq!(fault(block_on(bucket.read(&key("a")))), Fault::Gone);
        assert_eq!(fault(block_on(bucket.delete(&key("a")))), Fault::Gone);
        let listed = block_on(bucket.list(&Prefix::all(), None, 1));
        assert_eq!(fault(listed), Fault::Gone);
        assert_eq!(inner.len(), landed, "{fate:?}");
    }
}

#[test]
fn the_write_that_landed_while_dying_is_never_called_certainly_lost() {
    let (_, bucket) = faulty([Rule::new(Fate::LandedAndDied)]);
    assert_eq!(create(&bucket, "a").unwrap(), Outcome::Unknown);
}

#[test]
fn a_refusal_by_script_meets_one_write_and_no_read() {
    let (inner, bucket) = faulty([Rule::new(Fate::Refused)]);
    assert_eq!(body(&bucket, "a"), None);
    assert_eq!(create(&bucket, "a").unwrap(), Outcome::Refused);
    assert!(inner.is_empty());
    assert!(write(&bucket, "a", "1", Expect::Absent).is_some());
}

#[test]
fn a_rule_meets_only_the_requests_it_names() {
    let error = Fate::Error(Fault::Throttled);
    let (_, bucket) = faulty([Rule::new(error)
        .on(Verb::Write)
        .under("b/")
        .skip(1)
        .times(2)]);
    let met: Vec<_> = ["b/1", "a/1", "b/2", "b/3", "b/4"]
        .map(|at| create(&bucket, at).is_err())
        .into();
    assert_eq!(met, [false, false, true, true, false]);
    assert_eq!(body(&bucket, "b/2"), None);
}

#[test]
fn a_rule_at_a_number_meets_that_request_of_any_verb() {
    let (inner, bucket) = faulty([Rule::new(Fate::NotSent).at(1)]);
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
    let (_, bucket) = faulty([Rule::new(Fate::Error(Fault::Denied)).under("a").always()]);
    assert!((0..100).all(|_| fault(create(&bucket, "a")) == Fault::Denied));
}

#[test]
fn a_delayed_write_happens_after_its_sleep() {
    let (clock, inner, pool) = (clock(), memory(), Pool::new());
    let bucket = FaultBucket::new(inner.clone(), clock.clone());
    bucket.add(Rule::new(Fate::Delay(Duration::from_secs(3))));
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
