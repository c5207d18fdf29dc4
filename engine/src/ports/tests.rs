//! Tests of the parts that the ports share.

use std::time::Duration;

use super::Backoff;

#[test]
fn pauses_double_from_the_first_to_the_longest() {
    let second = Duration::from_secs(1);
    let backoff = Backoff::new(second, second * 5);
    let pauses: Vec<_> = (0..6).map(|tries| backoff.after(tries).as_secs()).collect();
    assert_eq!(pauses, [0, 1, 2, 4, 5, 5]);
    assert_eq!(backoff.after(u32::MAX), backoff.longest());
}
