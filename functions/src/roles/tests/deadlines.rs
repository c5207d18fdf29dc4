//! The end of an invocation.

use millpond::client::Ended;
use millpond::domain::Status;
use millpond_testing::{Injection, Rule, Verb};

use super::*;

fn within(world: &World, left: Duration, messages: &[Value]) -> (Batch, Duration) {
    let all = read(messages);
    let began = world.clock.monotonic();
    let deadline = Deadline::within(&*world.clock, left);
    let done = world.block(batch(
        &world.engine,
        &Seen::default(),
        &all.records,
        deadline,
    ));
    (done, world.clock.monotonic() - began)
}

#[test]
fn case18_a_step_that_ends_within_the_margin_is_committed() {
    let world = world();
    // The handover begins at 55 s: the step continues, and ends before its deadline.
    let eid = start(&world, "slow", 58);
    let (done, took) = within(&world, MINUTE, &[message(&world, "a", eid, 1)]);
    assert!(matches!(done.served[0].ended, Some(Ok(Ended::Terminal(_)))));
    assert_eq!(took, Duration::from_secs(58));
    assert_eq!(world.result::<u64>(eid), Ok(58));
}

#[test]
fn case18_a_step_longer_than_any_invocation_ends_failed_after_its_lost_attempts() {
    let world = world();
    let eid = start(&world, "slow", 1_200);
    let again = message(&world, "a", eid, 1);
    let mut invocations = 0;
    while !world.status(eid).is_terminal() {
        invocations += 1;
        assert!(invocations < 10, "it does not end");
        let (_, took) = within(&world, MINUTE * 15, std::slice::from_ref(&again));
        assert!(took < MINUTE * 15, "cut off: {took:?}");
        // Until its lease has expired, when the sweeper finds its mail.
        world.clock.advance(MINUTE);
    }
    assert_eq!(world.status(eid), Status::Failed);
    let why = world.result::<u64>(eid).unwrap_err();
    assert!(why.contains("vanished"), "{why}");
    // Three attempts may be lost. Each took one invocation, and a further one detected the loss of
    // the fourth.
    assert_eq!(invocations, 5);
}

#[test]
fn a_run_that_is_asked_to_hand_over_begins_no_step_and_sends_mail_to_itself() {
    let world = world();
    let eid = start(&world, "slow", 1);
    // The read of the head takes so long that the handover begins meanwhile.
    let head = keys::head(&eid);
    let rule = Rule::new(Injection::Delay(MINUTE - Duration::from_secs(4))).on(Verb::Read);
    world.faults.add(rule.under(head.as_str()));
    let (done, _) = within(&world, MINUTE, &[message(&world, "a", eid, 1)]);
    let ended = done.served[0].ended.as_ref();
    assert!(matches!(ended, Some(Ok(Ended::Sliced))), "{ended:?}");
    assert_eq!(failed(&done).len(), 0);
    assert_eq!(world.engine.counts().attempts, 0);
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(1));
}

#[test]
fn the_answer_goes_out_before_the_end_whatever_is_still_under_way() {
    let world = world();
    let (slow, quick) = (start(&world, "slow", 5_000), start(&world, "add", 1));
    let messages = vec![
        message(&world, "a", slow, 1),
        message(&world, "b", quick, 1),
    ];
    let (done, took) = within(&world, Duration::from_secs(20), &messages);
    assert!(took < Duration::from_secs(20), "{took:?}");
    assert_eq!(world.status(quick), Status::Completed);
    assert_eq!(done.served.len(), 2);
    assert!(!failed(&done).contains(&"b"));
}
