//! Keys that are free again: the next execution has an id of its own, and the tombstone stays.

use futures::future::join;

use super::{DAY, Duration, app, ended, head, is_archived, is_freed, neighbour, nothing_is_wrong};
use super::{
    ExecutionId, Notice, Retained, Retention, RetentionSettings, describe, keys, under, world,
};
use super::{retain, retain_by};
use crate::client::{Signal, Start};
use crate::domain::{MessageId, Queue, Status, Text};
use crate::run::Ended;
use crate::testing::{Injection, Rule, Verb, World};

/// Archived, and its key is free.
fn free() -> (World, ExecutionId) {
    let world = world();
    let eid = ended(&world, "sequential", 5);
    world.clock.advance(DAY * 8);
    assert_eq!(retain(&world).archived, 1);
    world.clock.advance(DAY * 91);
    (world, eid)
}

fn next(n: u32) -> ExecutionId {
    ExecutionId::keyed(&Text::parse("sequential").unwrap(), n)
}

async fn pass(world: &World) -> Retained {
    let retention = Retention::new(&world.engine, RetentionSettings::default()).unwrap();
    retention.pass(&Notice::new()).await.unwrap()
}

#[test]
fn i10_a_key_is_free_after_the_second_delay_and_not_before() {
    let world = world();
    let eid = ended(&world, "rich", 5);
    let before = describe(&world, eid);
    world.clock.advance(DAY * 8);
    retain(&world);
    world.clock.advance(DAY * 81);
    let early = retain(&world);
    assert_eq!((early.freed, early.expired), (0, 0));
    let start = || Start::new("rich").key("rich").input(&5_u64);
    assert!(!world.start(start()).fresh);
    world.clock.advance(DAY * 2);
    assert_eq!(retain(&world).freed, 2);
    is_freed(&world, eid, &before);
    assert_eq!(under(&world, keys::FEED), []);
    nothing_is_wrong(&world);
    assert_eq!(retain(&world), Retained::default());
    assert!(world.start(start()).fresh);
}

#[test]
fn each_execution_of_a_key_has_an_id_an_archive_and_a_tombstone_of_its_own() {
    let (world, first) = free();
    let mut reported = vec![(first, describe(&world, first))];
    for n in 1..4 {
        // Before or after retention has deleted what is left.
        if n != 2 {
            assert_eq!(retain(&world).freed, 1);
        }
        let start = || {
            Start::new("sequential")
                .key("sequential")
                .input(&u64::from(n))
        };
        let started = world.start(start());
        assert_eq!((started.eid, started.fresh), (next(n), true));
        assert!(!world.start(start()).fresh);
        world.run_all();
        assert_eq!(world.result::<u64>(next(n)), Ok((0..u64::from(n)).sum()));
        reported.push((next(n), describe(&world, next(n))));
        world.clock.advance(DAY * 8);
        assert_eq!(retain(&world).archived, 1);
        is_archived(&world, next(n), &reported[n as usize].1);
        world.clock.advance(DAY * 91);
    }
    retain(&world);
    for (eid, before) in &reported {
        is_freed(&world, *eid, before);
    }
    assert_eq!(head(&world, first).archived.unwrap().next, Some(3));
    nothing_is_wrong(&world);
}

/// A21: a pass stops before each of its requests, while the key is started again.
#[test]
pub(in crate::tests) fn a21_a_slow_pass_never_meets_the_next_execution_of_its_key() {
    for slow_at in 0..16 {
        let (world, eid) = free();
        let slow = neighbour(&world, app, 2);
        let hangs = Rule::new(Injection::Delay(DAY)).at(slow_at);
        slow.faults.add(hangs);
        let other = async {
            crate::ports::Clock::sleep(&*world.clock, Duration::from_secs(10)).await;
            let start = Start::new("receives").key("sequential");
            let again = world.engine.start(start).await.unwrap();
            let ended = world.engine.run(again.eid, world.causes(again.eid)).await;
            assert_eq!(ended.unwrap(), Ended::Suspended(None));
            again
        };
        let (_, again) = world.block(join(pass(&slow), other));
        assert_eq!((again.eid, again.fresh), (next(1), true));
        nothing_is_wrong(&world);
        world
            .signal(again.eid, Signal::on("in").value(&1_u64))
            .unwrap();
        world.run_all();
        assert_eq!(world.result::<u64>(again.eid), Ok(1), "slow at {slow_at}");
        assert_eq!(
            under(&world, keys::execution(&eid).as_str()),
            [keys::head(&eid)]
        );
    }
}

/// A21: a run read the tombstone, and lists and deletes when the key was started again.
#[test]
fn a21_a_slow_run_of_the_first_execution_deletes_no_mail_of_the_next() {
    let (world, eid) = free();
    let late = keys::mail(&Queue::default(), &eid, &MessageId::start());
    let body = world.memory.recorded();
    let body = body.iter().find(|(key, _)| *key == late).unwrap().1.clone();
    let _ = world
        .block(world.engine.ports().create(&late, body))
        .unwrap();
    let slow = neighbour(&world, app, 2);
    slow.faults
        .add(Rule::new(Injection::Delay(DAY)).on(Verb::List));
    let other = async {
        crate::ports::Clock::sleep(&*world.clock, Duration::from_secs(10)).await;
        let start = Start::new("receives").key("sequential");
        let signal = Signal::on("in").value(&4_u64);
        world
            .engine
            .signal_with_start(start, signal)
            .await
            .unwrap()
            .0
    };
    let (ended, again) = world.block(join(slow.engine.run(eid, slow.causes(eid)), other));
    assert_eq!(ended.unwrap(), Ended::Terminal(Status::Archived));
    assert_eq!(again.eid, next(1));
    world.run_all();
    assert_eq!(world.result::<u64>(again.eid), Ok(4));
}

/// A21: a start writes `next` while a pass gives the late report a new instant.
#[test]
fn a21_a_pass_and_a_start_both_change_the_tombstone() {
    for slow in 0..8 {
        for pass_is_slow in [false, true] {
            let world = world();
            let eid = ended(&world, "sequential", 5);
            world.clock.advance(DAY * 100);
            // The tombstone is there, and its report is not; the key is free.
            let dies = world.beside(app(), "dies", 9);
            let head = keys::head(&eid);
            let after = Rule::new(Injection::LandedAndDied).on_writes();
            dies.faults.add(after.under(head.as_str()));
            let retention = Retention::new(&dies.engine, RetentionSettings::default()).unwrap();
            assert!(dies.block(retention.pass(&Notice::new())).is_err());
            world.clock.advance(Duration::from_secs(3_600));
            let (one, two) = (neighbour(&world, app, 2), neighbour(&world, app, 3));
            let delay = Rule::new(Injection::Delay(Duration::from_secs(5))).at(slow);
            match pass_is_slow {
                true => one.faults.add(delay),
                false => two.faults.add(delay),
            }
            let start = Start::new("receives").key("sequential");
            let (passed, started) = world.block(join(pass(&one), two.engine.start(start)));
            assert_eq!(passed.finished, 1);
            assert_eq!(started.unwrap().eid, next(1));
            let tombstone = super::head(&world, eid);
            assert_eq!(tombstone.archived.unwrap().next, Some(1), "slow at {slow}");
            assert_eq!(super::received(&world, eid, tombstone.commit), 1);
        }
    }
}

/// A key may be free before its execution is archived: the pass that archives it may still be slow.
#[test]
fn a_key_that_was_freed_early_is_cleaned_a_day_after_its_tombstone() {
    let world = world();
    let eid = ended(&world, "sequential", 5);
    let settings = || RetentionSettings {
        after: Duration::from_secs(3_600),
        free_after: Duration::ZERO,
        ..RetentionSettings::default()
    };
    world.clock.advance(DAY);
    let first = retain_by(&world, settings()).unwrap();
    assert_eq!((first.archived, first.freed), (1, 0));
    assert!(world.start(Start::new("receives").key("sequential")).fresh);
    let late = keys::blob(&eid, crate::domain::Digest::of(b"1").as_str());
    let _ = world
        .block(world.engine.ports().create(&late, "1".into()))
        .unwrap();
    world.clock.advance(DAY + Duration::from_secs(3_600));
    assert_eq!(retain_by(&world, settings()).unwrap().freed, 1);
    assert_eq!(
        under(&world, keys::execution(&eid).as_str()),
        [keys::head(&eid)]
    );
}

#[test]
fn what_was_lost_is_not_archived_and_stays_a_finding() {
    let world = world();
    let eid = ended(&world, "sequential", 5);
    let head = keys::head(&eid);
    world.block(world.engine.ports().delete(&head)).unwrap();
    for days in [8, 91, 91] {
        world.clock.advance(DAY * days);
        retain(&world);
    }
    let audit = world.block(world.engine.audit()).unwrap();
    let found = audit.findings;
    assert!(
        matches!(&found[..], [crate::client::Finding::Corrupt { key, .. }] if *key == head),
        "{found:?}"
    );
}
