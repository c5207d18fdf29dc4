//! Tests of the manual clock.

use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt as _;
use futures::task::noop_waker;
use jiff::Timestamp;

use super::clock;
use crate::ports::Clock;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_sleep_ends_when_its_time_has_come_and_not_before() {
    let clock = clock();
    let waker = noop_waker();
    let mut cx = Context::from_waker(&waker);
    let mut sleep = clock.sleep(3 * SECOND);
    assert_eq!(sleep.poll_unpin(&mut cx), Poll::Pending);
    assert_eq!(clock.next_deadline(), Some(3 * SECOND));
    clock.advance(2 * SECOND);
    assert_eq!(sleep.poll_unpin(&mut cx), Poll::Pending);
    assert_eq!(clock.sleepers(), 1);
    clock.advance(SECOND);
    assert_eq!(clock.sleepers(), 0);
    assert_eq!(sleep.poll_unpin(&mut cx), Poll::Ready(()));
}

#[test]
fn a_dropped_sleep_is_no_sleeper() {
    let clock = clock();
    let mut sleep = clock.sleep(SECOND);
    assert_eq!(
        sleep.poll_unpin(&mut Context::from_waker(&noop_waker())),
        Poll::Pending
    );
    drop(sleep);
    assert_eq!((clock.sleepers(), clock.next_deadline()), (0, None));
}

#[test]
fn a_sleep_past_the_end_of_time_never_ends_and_is_no_sleeper() {
    let clock = clock();
    clock.advance(SECOND);
    assert_eq!(clock.sleep(Duration::MAX).now_or_never(), None);
    assert_eq!(clock.sleepers(), 0);
}

#[test]
fn the_wall_steps_back_without_the_monotonic_side() {
    let clock = clock();
    clock.advance(5 * SECOND);
    clock.set(Timestamp::from_second(-9).unwrap());
    assert_eq!(clock.now().as_second(), -9);
    assert_eq!(clock.monotonic(), 5 * SECOND);
    clock.advance(SECOND);
    assert_eq!(
        (clock.now().as_second(), clock.monotonic()),
        (-8, 6 * SECOND)
    );
}

#[test]
fn the_wall_stops_at_the_end_of_its_range() {
    let clock = clock();
    clock.advance(Duration::MAX);
    assert_eq!(
        (clock.now(), clock.monotonic()),
        (Timestamp::MAX, Duration::MAX)
    );
}
