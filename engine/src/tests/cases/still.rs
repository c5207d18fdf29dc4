//! Case 10: whatever died wherever, every execution that is not over has a lease holder, mail, an
//! timer, or waits for somebody who is named; and the audit misses what has none of these.
//!
//! The first half is asserted after every cut of every scenario (`cuts/check.rs`), by itself and
//! by the audit; here the causes are taken away.

use std::collections::BTreeSet;

use super::super::cuts::{Command, Scenario, command, run, signal, skip, start};
use super::SECOND;
use crate::client::Asleep;
use crate::domain::Status::{Cancelled, Completed};

fn whys(scenario: &Scenario) -> BTreeSet<Asleep> {
    scenario.strand_everywhere()
}

#[test]
fn case_10_steps_whose_causes_are_lost_are_missed_and_nobody_else() {
    let acts = vec![start("five", 0), run()];
    let whys = whys(&Scenario::new(acts, ("five", Completed, "10")));
    assert_eq!(whys, [Asleep::NoStart, Asleep::NoCause].into());
}

#[test]
fn case_10_a_wait_whose_timer_is_lost_is_missed_and_one_for_a_message_is_not() {
    let acts = vec![start("either", 1), run(), skip(7_200 * SECOND)];
    let timed = whys(&Scenario::new(acts, ("either", Completed, "1001")));
    assert!(timed.contains(&Asleep::NoTimer), "{timed:?}");
    let acts = vec![
        start("receive_two", 0),
        run(),
        signal("receive_two", "in", 1),
        run(),
        signal("receive_two", "in", 2),
        run(),
    ];
    let received = whys(&Scenario::new(acts, ("receive_two", Completed, "1103")));
    assert!(!received.contains(&Asleep::NoTimer), "{received:?}");
}

#[test]
fn case_10_who_is_paused_or_was_cancelled_is_not_missed() {
    let acts = vec![
        start("nap", 2),
        run(),
        command(Command::Pause, "nap"),
        run(),
        skip(9_000 * SECOND),
        command(Command::Resume, "nap"),
        run(),
    ];
    let paused = whys(&Scenario::new(acts, ("nap", Completed, "2")));
    assert!(paused.contains(&Asleep::NoTimer), "{paused:?}");
    let acts = vec![
        start("clean", 1),
        run(),
        command(Command::Cancel, "clean"),
        run(),
    ];
    let end = ("clean", Cancelled, "cancelled: enough");
    let cancelled = whys(&Scenario::new(acts, end));
    assert!(!cancelled.contains(&Asleep::NoTimer), "{cancelled:?}");
}
