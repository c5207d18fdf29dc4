//! Batches of messages: which are reported as failed, and which are acknowledged.

use millpond::client::{App, Ended};
use millpond::domain::Status;
use millpond_testing::{Injection, Rule};

use super::*;

#[test]
fn case20_of_ten_messages_exactly_the_poisoned_one_is_reported() {
    for reversed in [false, true] {
        let world = world();
        let eids: Vec<ExecutionId> = (0..8).map(|n| start(&world, "add", n)).collect();
        break_head(&world, eids[6]);
        let mut messages: Vec<Value> = (0..8)
            .map(|n| message(&world, &format!("m{n}"), eids[n], 1))
            .collect();
        // One message twice, and two messages of one execution.
        messages.push(message(&world, "m0-again", eids[0], 1));
        messages.push(message(&world, "m1-other", eids[1], 1));
        if reversed {
            messages.reverse();
        }
        let done = serve(&world, &messages);
        assert_eq!(failed(&done), ["m6"]);
        assert!(!done.whole_failed);
        assert_eq!(done.served.len(), 8);
        for (n, eid) in eids.iter().enumerate().filter(|(n, _)| *n != 6) {
            assert_eq!(world.status(*eid), Status::Completed, "{n}");
        }
    }
}

#[test]
fn case20_one_execution_is_run_once_whatever_the_number_of_its_messages() {
    let world = world();
    let eid = start(&world, "add", 3);
    let twice = vec![
        message(&world, "a", eid, 1),
        message(&world, "b", eid, 1),
        message(&world, "c", eid, 2),
    ];
    let done = serve(&world, &twice);
    assert_eq!((done.served.len(), failed(&done).len()), (1, 0));
    assert_eq!(world.engine.counts().runs, 1);
}

#[test]
fn case20_what_comes_again_while_it_runs_elsewhere_is_acknowledged_and_nothing_is_deleted() {
    let world = world();
    let eid = start(&world, "slow", 3_000);
    let again = message(&world, "a", eid, 1);
    // The end of its invocation cut off its first run: the execution is still leased.
    let done = serve(&world, std::slice::from_ref(&again));
    assert_eq!(done.served.len(), 1);
    // That run had no time left: its message is redelivered.
    assert_eq!(failed(&done), ["a"]);
    let objects = world.memory.snapshot();
    let done = serve(&world, &[again]);
    assert!(matches!(done.served[0].ended, Some(Ok(Ended::Held(_)))));
    assert_eq!(failed(&done).len(), 0);
    assert_eq!(world.memory.snapshot(), objects);
}

#[test]
fn case20_a_message_that_was_served_before_is_acknowledged_and_costs_two_reads() {
    let world = world();
    let eid = start(&world, "add", 2);
    let again = message(&world, "a", eid, 1);
    serve(&world, std::slice::from_ref(&again));
    let (done, counts) = world.counted(|world| serve(world, &[again]));
    assert_eq!(failed(&done).len(), 0);
    let ended = &done.served[0].ended;
    assert!(matches!(ended, Some(Ok(Ended::Stale))), "{ended:?}");
    assert_eq!((counts.reads, counts.lists, counts.writes), (2, 0, 0));
}

// Its run may have been cut off before its last list, while other senders relied on that list.
#[test]
fn case20_a_message_that_was_reported_is_looked_at_though_its_mail_is_gone() {
    let world = world();
    let eid = start(&world, "add", 2);
    serve(&world, &[message(&world, "a", eid, 1)]);
    let again = message(&world, "a", eid, 2);
    let (done, counts) = world.counted(|world| serve(world, &[again]));
    assert_eq!(failed(&done).len(), 0);
    assert_eq!((counts.reads, counts.lists, counts.writes), (1, 1, 0));
}

#[test]
fn what_this_process_has_served_a_moment_ago_costs_nothing_once() {
    let world = world();
    let seen = Seen::default();
    let eid = start(&world, "add", 2);
    let again = message(&world, "a", eid, 1);
    let deliver = || {
        let all = read(std::slice::from_ref(&again));
        let deadline = Deadline::within(&*world.clock, MINUTE);
        let work = |world: &World| world.block(batch(&world.engine, &seen, &all.records, deadline));
        let (done, counts) = world.counted(work);
        assert_eq!(failed(&done).len(), 0);
        (counts.reads, counts.lists)
    };
    assert_eq!(deliver(), (2, 1));
    // The notification of mail whose hint was served, and then the sweeper's hint, for which the
    // run lists the mailbox.
    assert_eq!((deliver(), deliver()), ((0, 0), (2, 0)));
    // Served again just now; older entries have expired.
    world.clock.advance(world.engine.core().settings.ttl);
    assert_eq!(deliver(), (2, 0));
}

#[test]
fn what_was_given_up_is_not_remembered_as_served() {
    let world = world();
    let seen = Seen::default();
    let eid = start(&world, "add", 2);
    let again = message(&world, "a", eid, 1);
    let all = read(std::slice::from_ref(&again));
    let deliver = || {
        let deadline = Deadline::within(&*world.clock, MINUTE);
        world.block(batch(&world.engine, &seen, &all.records, deadline))
    };
    world
        .faults
        .add(Rule::new(Injection::NotSent).on_writes().always());
    assert_eq!(failed(&deliver()), ["a"]);
    world.faults.heal();
    assert_eq!(failed(&deliver()).len(), 0);
    assert_eq!(world.status(eid), Status::Completed);
}

#[test]
fn case20_nothing_is_acknowledged_before_its_write() {
    let world = world();
    let eids: Vec<ExecutionId> = (0..3).map(|n| start(&world, "add", n)).collect();
    let messages: Vec<Value> = (0..3)
        .map(|n| message(&world, &format!("m{n}"), eids[n], 1))
        .collect();
    // The store accepts no writes: every message is redelivered, and everything is done then.
    let head = keys::head(&eids[1]);
    let denied = Injection::Error(millpond::ports::Fault::Denied);
    let rule = Rule::new(denied).on_writes().under(head.as_str());
    world.faults.add(rule.always());
    let done = serve(&world, &messages);
    assert_eq!(failed(&done), ["m1"]);
    assert_eq!(world.status(eids[1]), Status::Pending);
    world.faults.heal();
    let done = serve(&world, &[messages[1].clone()]);
    assert_eq!(failed(&done).len(), 0);
    assert_eq!(world.status(eids[1]), Status::Completed);
}

#[test]
fn executions_of_other_builds_are_left_and_acknowledged() {
    let world = world();
    let eid = start(&world, "add", 1);
    let stranger = world.beside(App::new(), "w2", 2);
    let before = world.memory.snapshot();
    let all = read(&[message(&world, "a", eid, 1)]);
    let deadline = Deadline::within(&*world.clock, MINUTE);
    let done = stranger.block(batch(
        &stranger.engine,
        &Seen::default(),
        &all.records,
        deadline,
    ));
    assert!(matches!(
        done.served[0].ended,
        Some(Ok(Ended::Unregistered(..)))
    ));
    assert_eq!(failed(&done).len(), 0);
    assert_eq!(world.memory.snapshot(), before);
}

#[test]
fn case26_a_message_that_was_in_vain_before_is_run_after_its_neighbours_and_acquires_first() {
    let world = world();
    let (suspect, neighbour) = (start(&world, "add", 1), start(&world, "slow", 20));
    let messages = vec![
        message(&world, "a", suspect, 5),
        message(&world, "b", neighbour, 1),
    ];
    let done = serve(&world, &messages);
    let order: Vec<ExecutionId> = done.served.iter().map(|served| served.eid).collect();
    assert_eq!(order, [neighbour, suspect]);
    assert_eq!(failed(&done).len(), 0);
    // It replays only under a lease, so that a crash is counted: one more commit.
    let commit = |eid| world.block(world.engine.execution(eid)).unwrap().commit;
    let plain = start(&world, "add", 1);
    serve(&world, &[message(&world, "c", plain, 1)]);
    assert_eq!(commit(suspect), commit(plain) + 1);
}
