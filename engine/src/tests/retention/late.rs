//! What comes late: the tombstone refuses it, and answers.

use super::{DAY, Duration, app, ended, head, is_archived, is_freed, keyed, nothing_is_wrong};
use super::{describe, retain, under, world};
use crate::client::{EngineError, Signal, Start};
use crate::domain::{Actor, Status};
use crate::ports::Outcome;
use crate::run::Ended;
use crate::testing::{Injection, Rule, Verb, World};

/// A worker whose `n`th write of a head stays on its way, and who is gone by then.
fn crash_count(world: &World, n: u64, seed: u64) -> World {
    let stalled = world.beside(app(), &format!("stalls{seed}"), seed);
    let head = || Rule::new(Injection::Held).on_writes().under("x/").skip(n);
    stalled.faults.add(head());
    // It looks at the head, to see what became of it.
    let dies = Rule::new(Injection::Died).on(Verb::Read).under("x/");
    stalled
        .faults
        .add(dies.skip(if n == 0 { 1 } else { 1 + n }));
    stalled
}

fn comes_now(world: &World, late: &World) -> Vec<Outcome> {
    world.block(late.faults.release()).unwrap()
}

#[test]
fn case_12_a_commit_that_comes_after_the_archive_is_refused() {
    for freed in [false, true] {
        let world = world();
        let eid = world
            .start(Start::new("sequential").key("s").input(&5_u64))
            .eid;
        let stalled = crash_count(&world, 0, 5);
        let ended = stalled.run(eid);
        assert!(ended.is_err(), "it stalls before its barrier: {ended:?}");
        // Another one finishes the execution.
        world.skip(Duration::from_secs(31));
        assert_eq!(world.result::<u64>(eid), Ok(10));
        let before = describe(&world, eid);
        world.clock.advance(DAY * 8);
        assert_eq!(retain(&world).archived, 1);
        if freed {
            world.clock.advance(DAY * 91);
            assert_eq!(retain(&world).freed, 1);
        }
        let there = world.memory.snapshot();
        assert_eq!(comes_now(&world, &stalled), [Outcome::Refused]);
        assert_eq!(world.memory.snapshot(), there, "it changed nothing");
        match freed {
            true => is_freed(&world, eid, &before),
            false => is_archived(&world, eid, &before),
        }
        nothing_is_wrong(&world);
    }
}

/// A9: what is over is not begun anew.
#[test]
pub(in crate::tests) fn case_12_a_start_that_comes_after_the_archive_is_refused() {
    let world = world();
    let start = || Start::new("sequential").key("s").input(&5_u64);
    let client = world.beside(app(), "client", 6);
    // The mail is there; the head stays on its way, and the client is gone.
    client
        .faults
        .add(Rule::new(Injection::Held).on_writes().under("x/"));
    let next = Rule::new(Injection::Died).on_writes().under("x/");
    client.faults.add(next);
    assert!(client.block(client.engine.start(start())).is_err());
    let eid = keyed("s");
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(10));
    let before = describe(&world, eid);
    world.clock.advance(DAY * 8);
    assert_eq!(retain(&world).archived, 1);
    assert_eq!(comes_now(&world, &client), [Outcome::Refused]);
    world.run_all();
    is_archived(&world, eid, &before);
    // A parent that dispatches once more, a client that tries again: mail without anybody.
    let mail = crate::keys::mail(
        &"default".parse().unwrap(),
        &eid,
        &crate::domain::MessageId::start(),
    );
    let recorded = world.memory.recorded().into_iter();
    let body = recorded.rev().find(|(key, _)| *key == mail).unwrap().1;
    let _ = world
        .block(world.engine.ports().create(&mail, body))
        .unwrap();
    let ended = world.run(eid).unwrap();
    assert_eq!(ended, Ended::Terminal(Status::Archived));
    assert_eq!(under(&world, "mail/"), [], "it is deleted");
    is_archived(&world, eid, &before);
}

#[test]
fn i5_a_tombstone_answers_a_start_with_its_key() {
    let world = world();
    let eid = ended(&world, "sequential", 5);
    world.clock.advance(DAY * 8);
    retain(&world);
    let start = |n: u64| Start::new("sequential").key("sequential").input(&n);
    let (same, counts) = world.counted(|world| world.start(start(5)));
    assert_eq!((same.eid, same.fresh, same.differs), (eid, false, false));
    assert_eq!((counts.write_requests(), counts.read_requests()), (0, 1));
    assert!(world.start(start(6)).differs, "it had another input");
    let other = Start::new("rich").key("sequential").input(&5_u64);
    assert!(world.start(other).differs, "it was another workflow");
    assert_eq!(under(&world, "mail/"), []);
}

#[test]
fn i7_no_signal_reaches_an_archived_execution_and_a_refusal_names_the_next_one() {
    let world = world();
    let eid = ended(&world, "sequential", 5);
    world.clock.advance(DAY * 8);
    retain(&world);
    let signal = || Signal::on("in").value(&1_u64);
    let refused = |eid| {
        let by = Actor::human("ada");
        let errors = [
            world.signal(eid, signal()).unwrap_err(),
            world
                .block(world.engine.cancel(eid, "why", by))
                .unwrap_err(),
        ];
        errors.map(|error| match error {
            EngineError::TerminalExecution { status, next, .. } => (status, next),
            other => panic!("{other:?}"),
        })
    };
    assert_eq!(refused(eid), [(Status::Archived, None); 2]);
    world.clock.advance(DAY * 91);
    assert_eq!(retain(&world).freed, 1);
    assert_eq!(refused(eid), [(Status::Archived, None); 2]);
    let start = || Start::new("sequential").key("sequential").input(&2_u64);
    let second = world.start(start()).eid;
    world.run_all();
    assert_eq!(refused(eid), [(Status::Archived, Some(second)); 2]);
    assert_eq!(refused(second), [(Status::Completed, None); 2]);
    world.clock.advance(DAY * 100);
    retain(&world);
    let third = world.start(start()).eid;
    for ended in [eid, second] {
        assert_eq!(refused(ended), [(Status::Archived, Some(third)); 2]);
    }
    let newest = world.block(world.engine.newest_of("sequential"));
    assert_eq!(newest.unwrap(), third);
}

#[test]
fn i3_a_message_to_what_is_archived_is_dropped_and_its_sender_goes_on() {
    async fn send_all(ctx: crate::Context, to: crate::ExecutionId) -> Result<u64, crate::Failed> {
        ctx.send(to, "in", &1_u64)?;
        Ok(1)
    }
    let world = World::new(app().workflow("send_all", "1", send_all));
    let eid = ended(&world, "sequential", 5);
    let before = describe(&world, eid);
    world.clock.advance(DAY * 8);
    retain(&world);
    let sender = world.start(Start::new("send_all").input(&eid)).eid;
    world.run_all();
    assert_eq!(world.result::<u64>(sender), Ok(1));
    is_archived(&world, eid, &before);
    assert_eq!(under(&world, "mail/"), []);
}

#[test]
fn a_value_that_comes_late_under_a_tombstone_goes_when_the_key_is_free() {
    let world = world();
    let eid = ended(&world, "rich", 5);
    let before = describe(&world, eid);
    world.clock.advance(DAY * 8);
    retain(&world);
    // Of a worker that has dispatched what a parent sends, once more.
    let blob = crate::keys::blob(&eid, crate::domain::Digest::of(b"1").as_str());
    let _ = world
        .block(world.engine.ports().create(&blob, "1".into()))
        .unwrap();
    nothing_is_wrong(&world);
    world.clock.advance(DAY * 91);
    retain(&world);
    is_freed(&world, eid, &before);
}

#[test]
fn a_timer_that_comes_late_wakes_a_run_that_deletes_it() {
    let world = world();
    let eid = ended(&world, "sequential", 5);
    let before = describe(&world, eid);
    world.clock.advance(DAY * 8);
    retain(&world);
    let now = crate::ports::Clock::now(&*world.clock);
    let queue = head(&world, eid).record.queue;
    let timer = crate::keys::timer(now, &queue, &eid, 1);
    world
        .block(crate::timers::set(world.engine.ports(), &timer))
        .unwrap();
    world.run_all();
    assert_eq!(under(&world, "timers/"), []);
    is_archived(&world, eid, &before);
}
