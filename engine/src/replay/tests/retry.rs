//! Retries.

use std::time::Duration;

use crate::domain::Failure;
use crate::replay::Retry;

fn flaky() -> Failure {
    Failure::new("Flaky", "not yet")
}

fn millis(retry: &Retry, unit: f64) -> Vec<Option<u128>> {
    let delay = |failed| retry.decide(failed, &flaky(), unit);
    (1..=10)
        .map(|failed| delay(failed).map(|d| d.as_millis()))
        .collect()
}

#[test]
fn the_default_is_five_attempts_doubled_with_full_jitter() {
    let most = 1.0 - f64::EPSILON;
    let delays = millis(&Retry::default(), most);
    assert_eq!(
        delays[..5],
        [Some(500), Some(1000), Some(2000), Some(4000), None]
    );
    assert_eq!(
        millis(&Retry::default(), 0.0)[..5],
        [Some(0), Some(0), Some(0), Some(0), None]
    );
    assert_eq!(millis(&Retry::default(), 0.5)[1], Some(500));
}

#[test]
fn no_delay_is_over_the_cap() {
    let retry = Retry::exponential(u32::MAX).jitter(false);
    assert_eq!(millis(&retry, 0.0)[9], Some(60_000));
    let late = retry.decide(u32::MAX - 1, &flaky(), 0.0);
    assert_eq!(late, Some(Duration::from_secs(60)));
    for factor in [f64::NAN, f64::INFINITY, f64::MAX, -3.0, 0.0] {
        let wild = Retry::exponential(9)
            .factor(factor)
            .decide(3, &flaky(), 0.9);
        assert!(
            wild.is_some_and(|delay| delay <= Duration::from_secs(60)),
            "{factor}"
        );
    }
    let long = Retry::fixed(3, Duration::MAX).decide(1, &flaky(), 0.0);
    assert_eq!(long, Some(Duration::MAX));
}

#[test]
fn fixed_delays_stay_and_none_is_one_attempt() {
    let retry = Retry::fixed(3, Duration::from_secs(2));
    assert_eq!(millis(&retry, 0.3)[..3], [Some(2_000), Some(2_000), None]);
    assert_eq!(Retry::none().decide(1, &flaky(), 0.5), None);
    assert_eq!(Retry::none().max_attempts(0), Retry::none());
}

#[test]
fn what_no_retry_can_help_is_not_tried_again() {
    let retry = Retry::default()
        .non_retryable("Declined")
        .non_retryable("Gone");
    assert_eq!(retry.decide(1, &Failure::new("Declined", ""), 0.5), None);
    assert_eq!(retry.decide(1, &Failure::new("Gone", ""), 0.5), None);
    assert_eq!(retry.decide(1, &flaky().terminal(), 0.5), None);
    assert!(retry.decide(1, &flaky(), 0.5).is_some());
}

#[test]
fn vanished_attempts_have_a_cap_of_their_own() {
    let retry = Retry::none();
    assert!(retry.decide_lost(3, 0.5).is_some());
    assert!(retry.decide_lost(4, 0.5).is_none());
    assert!(retry.max_lost(0).decide_lost(1, 0.5).is_none());
}
