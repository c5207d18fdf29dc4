//! Attempts and their cancellation.

use futures::FutureExt as _;

use crate::domain::{ExecutionId, FrameId, FrameName};
use crate::replay::Attempt;

fn step() -> (ExecutionId, FrameId) {
    let name = FrameName::parse("pay").unwrap();
    (
        ExecutionId::new(uuid::Uuid::from_u128(7)),
        FrameId::root().nth(&name, 0),
    )
}

#[test]
fn the_idempotency_key_is_the_same_for_every_attempt_and_no_other_step() {
    let (eid, fid) = step();
    let key = |eid, fid: &FrameId, number| {
        let (attempt, _) = Attempt::new(eid, 0, fid.clone(), number, None);
        attempt.idempotency_key().to_owned()
    };
    assert_eq!(key(eid, &fid, 1), key(eid, &fid, 2));
    assert_ne!(key(eid, &fid, 1), key(eid, &FrameId::root(), 1));
    assert_ne!(
        key(eid, &fid, 1),
        key(ExecutionId::new(uuid::Uuid::nil()), &fid, 1)
    );
    assert_eq!(key(eid, &fid, 1).len(), 32);
}

#[test]
fn a_cancelled_attempt_is_reported_in_every_clone() {
    let (eid, fid) = step();
    let (attempt, mut canceller) = Attempt::new(eid, 0, fid, 1, None);
    let other = attempt.clone();
    assert!(!other.is_cancelled());
    assert!(other.cancelled().now_or_never().is_none());
    canceller.cancel();
    canceller.cancel();
    assert!(other.is_cancelled());
    assert!(other.cancelled().now_or_never().is_some());
    assert!(attempt.cancelled().now_or_never().is_some());
}

#[test]
fn a_canceller_that_is_dropped_cancels_nothing() {
    let (eid, fid) = step();
    let (attempt, canceller) = Attempt::new(eid, 0, fid, 1, None);
    drop(canceller);
    assert!(!attempt.is_cancelled());
    assert!(attempt.cancelled().now_or_never().is_none());
}
