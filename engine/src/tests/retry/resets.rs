//! Resets from a frame, and retries that are refused: G2, G3.

use super::*;
use crate::domain::{Body, Control, Mail, MessageId, Queue};
use crate::ports::Clock as _;

#[test]
fn g2_a_second_retry_brings_back_nothing_that_the_first_made_void() {
    let book = Book::default();
    book.breaks("ship");
    let world = book.world();
    let eid = ran(&world, "order");
    // From the second step: its value is void, although it succeeded.
    retry(&world, eid, RetryRequest::new().from(fid("root/charge#0"))).unwrap();
    world.run_all();
    assert_eq!(
        (world.status(eid), book.count("charge")),
        (Status::Failed, 2)
    );
    book.mend();
    retry(&world, eid, RetryRequest::new()).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(7));
    assert_eq!(
        (
            book.count("reserve"),
            book.count("charge"),
            book.count("ship")
        ),
        (1, 2, 3)
    );
}

#[test]
fn a_second_retry_finds_the_execution_running_and_is_refused() {
    let book = Book::default();
    book.breaks("a");
    let world = book.world();
    let eid = ran(&world, "both");
    book.mend();
    retry(&world, eid, RetryRequest::new()).unwrap();
    retry(&world, eid, RetryRequest::new()).unwrap();
    world.run_all();
    assert_eq!(world.status(eid), Status::Suspended);
    assert_eq!((book.count("a"), book.count("b")), (2, 1));
    assert_eq!(refusals(&world, eid), ["another retry came first"]);
    let refused = retry(&world, eid, RetryRequest::new()).unwrap_err();
    assert_eq!(
        refused.kind(),
        crate::client::ErrorKind::Conflict,
        "{refused}"
    );
    world
        .signal(eid, Signal::on("more").value(&10_u64))
        .unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(13));
}

#[test]
fn g3_a_retry_with_a_fence_applies_only_to_what_its_sender_saw() {
    let book = Book::default();
    book.breaks("charge");
    let world = book.world();
    let eid = ran(&world, "order");
    let seen = world
        .block(world.engine.execution(eid))
        .unwrap()
        .newest_entry;
    let stale = retry(&world, eid, RetryRequest::new().fence(seen - 1)).unwrap_err();
    assert!(matches!(stale, EngineError::StaleFence { .. }), "{stale}");
    // Both see the same failure; the first of them is carried out, and fails again.
    retry(&world, eid, RetryRequest::new().fence(seen)).unwrap();
    let late = RetryRequest::new().fence(seen);
    world.run_all();
    let refused = retry(&world, eid, late).unwrap_err();
    assert!(
        matches!(refused, EngineError::StaleFence { .. }),
        "{refused}"
    );
    assert_eq!(book.count("charge"), 2);
}

#[test]
fn g3_a_fence_is_checked_again_when_the_retry_is_absorbed() {
    let book = Book::default();
    book.breaks("charge");
    let world = book.world();
    let eid = ran(&world, "order");
    let seen = world
        .block(world.engine.execution(eid))
        .unwrap()
        .newest_entry;
    retry(&world, eid, RetryRequest::new().fence(seen)).unwrap();
    world.run_all();
    assert_eq!(
        (world.status(eid), book.count("charge")),
        (Status::Failed, 2)
    );
    // One that was sent beside the first, and arrives late: it means the failure before.
    let (ports, at) = (world.engine.ports(), world.clock.now());
    let mid = MessageId::control(at, ports.entropy.uuid7(at));
    let body = Body::Control(Control::Retry(RetryRequest::new().fence(seen)));
    let mail = Mail::new(mid, ada().into(), at, body);
    let queue = Queue::default();
    let sent = crate::mailbox::send(ports, &queue, &eid, &mail);
    let _ = world.block(sent).unwrap();
    world.run_all();
    assert_eq!(
        (world.status(eid), book.count("charge")),
        (Status::Failed, 2)
    );
    let why = refusals(&world, eid);
    assert!(
        why.len() == 1 && why[0].starts_with("stale fence"),
        "{why:?}"
    );
}

#[test]
fn a_reset_begins_a_waiting_execution_again_from_a_frame_and_keeps_its_messages() {
    let book = Book::default();
    let world = book.world();
    let eid = ran(&world, "asks");
    assert_eq!(world.status(eid), Status::Suspended);
    let unnamed = retry(&world, eid, RetryRequest::new()).unwrap_err();
    assert!(
        unnamed.to_string().contains("unless a frame is named"),
        "{unnamed}"
    );
    retry(&world, eid, RetryRequest::new().from(fid("root/ask#0"))).unwrap();
    world
        .signal(eid, Signal::on("answer").value(&20_u64))
        .unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(121));
    assert_eq!((book.count("ask"), book.count("after")), (2, 1));
}

#[test]
fn a_reset_from_a_frame_without_an_outcome_is_refused_and_says_so() {
    let book = Book::default();
    let world = book.world();
    let eid = ran(&world, "asks");
    retry(&world, eid, RetryRequest::new().from(fid("root/after#0"))).unwrap();
    world.run_all();
    assert_eq!(refusals(&world, eid), ["frame root/after#0 has no outcome"]);
    assert_eq!(
        (world.status(eid), book.count("ask")),
        (Status::Suspended, 1)
    );
}

#[test]
fn an_archived_execution_is_not_retried() {
    let book = Book::default();
    book.breaks("charge");
    let world = book.world();
    let eid = ran(&world, "order");
    let settings = crate::client::RetentionSettings::default();
    world.clock.advance(Duration::from_secs(400 * 86_400));
    let retention = crate::client::Retention::new(&world.engine, settings).unwrap();
    world
        .block(retention.pass(&crate::process::Notice::default()))
        .unwrap();
    let refused = retry(&world, eid, RetryRequest::new()).unwrap_err();
    assert!(
        refused.to_string().contains("not once it is archived"),
        "{refused}"
    );
}

#[test]
fn a_workflow_sees_that_it_was_retried_at_the_point_up_to_which_its_journal_is_kept() {
    let book = Book::default();
    book.breaks("first");
    let world = book.world();
    let eid = ran(&world, "heeds");
    assert_eq!(world.status(eid), Status::Suspended);
    world.signal(eid, Signal::on("go").value(&1_u64)).unwrap();
    world.run_all();
    assert_eq!(world.status(eid), Status::Failed);
    // From the message on: the step has failed by then, and the workflow waits.
    let from = fid("root/receive#0");
    retry(
        &world,
        eid,
        RetryRequest::new().from(from).reason("by hand"),
    )
    .unwrap();
    world.run_all();
    let failure = world.outcome(eid).value.unwrap_err();
    let journal = entries(&world, eid);
    assert_eq!(
        (&*failure.kind, &*failure.message),
        ("Retried", "by hand"),
        "{journal:#?}"
    );
}

#[test]
fn a_refused_retry_of_a_failed_execution_is_recorded_and_leaves_it_as_it_ended() {
    let book = Book::default();
    book.breaks("charge");
    let world = book.world();
    let eid = ran(&world, "order");
    retry(&world, eid, RetryRequest::new().from(fid("root/ship#0"))).unwrap();
    world.run_all();
    assert_eq!(refusals(&world, eid), ["frame root/ship#0 has no outcome"]);
    assert_eq!(
        (world.status(eid), book.count("charge")),
        (Status::Failed, 1)
    );
    let failure = world.outcome(eid).value.unwrap_err();
    assert_eq!(failure.kind, "Broken");
    book.mend();
    retry(&world, eid, RetryRequest::new()).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(7));
}

#[test]
fn i12_a_terminate_that_comes_before_a_reset_ends_the_execution() {
    let book = Book::default();
    let world = book.world();
    let eid = ran(&world, "asks");
    let stop = world.engine.terminate(eid, "enough", ada());
    world.block(stop).unwrap();
    world.clock.advance(Duration::from_secs(1));
    retry(&world, eid, RetryRequest::new().from(fid("root/ask#0"))).unwrap();
    world.run_all();
    assert_eq!(
        (world.status(eid), book.count("ask")),
        (Status::Terminated, 1)
    );
}

#[test]
fn i11_a_pause_that_comes_before_a_reset_stays_in_force() {
    let book = Book::default();
    let world = book.world();
    let eid = ran(&world, "asks");
    world.block(world.engine.pause(eid, "wait", ada())).unwrap();
    world.clock.advance(Duration::from_secs(1));
    retry(&world, eid, RetryRequest::new().from(fid("root/ask#0"))).unwrap();
    world.run_all();
    assert_eq!((world.status(eid), book.count("ask")), (Status::Paused, 1));
    assert_eq!(refusals(&world, eid), ["another command came first"]);
}

#[test]
fn i7_refused_retries_of_any_size_leave_a_failed_execution_as_it_ended() {
    for at in 0..20 {
        let book = Book::default();
        book.breaks("charge");
        let world = book.world();
        let eid = ran(&world, "order");
        for _ in 0..6 {
            let request = RetryRequest::new().from(fid("root/ship#0"));
            retry(&world, eid, request.reason("r".repeat(8 << 10))).unwrap();
        }
        book.mend();
        world
            .faults
            .add(Rule::new(Injection::LandedAndDied).skip(at));
        let _ = world.run(eid);
        let world = world.beside(book.app(), "other", 9);
        world.skip(Settings::default().ttl * 4);
        assert_eq!(
            (world.status(eid), book.count("charge")),
            (Status::Failed, 1),
            "cut at {at}"
        );
        let journal = entries(&world, eid).into_iter();
        let ends = journal.filter(Entry::is_end).count();
        assert_eq!(ends, 1, "cut at {at}: it was driven again");
    }
}

#[test]
fn a_retry_does_not_lower_the_budget_that_an_operator_has_set() {
    let book = Book::default();
    book.breaks("after");
    let world = book.world();
    let eid = ran(&world, "asks");
    let set = |budget| {
        world.block(world.engine.pause(eid, "wait", ada())).unwrap();
        world.run_all();
        world
            .block(world.engine.resume_with_budget(eid, budget, ada()))
            .unwrap();
        world.run_all();
    };
    set(60);
    set(5_000);
    retry(&world, eid, RetryRequest::new().from(fid("root/ask#0"))).unwrap();
    world.run_all();
    assert_eq!(
        world.block(world.engine.execution(eid)).unwrap().budget,
        5_000
    );
}
