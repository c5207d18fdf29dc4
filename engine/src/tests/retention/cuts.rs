//! A pass that dies at each of its requests, in every way: what it leaves reads the same as
//! before, and the next pass brings it to its end.

use super::super::cuts::Way;
use super::{
    DAY, Duration, FeedRecord, app, describe, ended, is_archived, is_freed, keys, nothing_is_wrong,
};
use super::{ExecutionId, Notice, Retention, RetentionSettings, under, world};
use crate::client::Filter;
use crate::testing::{Verb, World};

/// One pass by another process; its requests.
fn pass(world: &World, name: &str, cut: Option<(Way, u64)>) -> Vec<Verb> {
    let seed = 10 + name.bytes().map(u64::from).sum::<u64>();
    let process = world.beside(app(), name, seed);
    if let Some((way, at)) = cut {
        way.cut(&process, at);
    }
    let retention = Retention::new(&process.engine, RetentionSettings::default()).unwrap();
    let passed = process.block(retention.pass(&Notice::new()));
    assert!(cut.is_some() || passed.is_ok(), "{passed:?}");
    // What was stuck on its way comes in the end, when others are done.
    LATE.with_borrow_mut(|late| late.push(process.faults.clone()));
    process
        .counting
        .log()
        .iter()
        .map(|request| request.verb)
        .collect()
}

thread_local! {
    static LATE: std::cell::RefCell<Vec<std::sync::Arc<crate::testing::FaultBucket>>> =
        const { std::cell::RefCell::new(Vec::new()) };
}

fn release(world: &World) {
    for process in LATE.take() {
        let _late = world.block(process.release()).unwrap();
    }
}

/// Ended, and old enough to be archived; or archived, and its key is free.
fn old(archived: bool) -> (World, Vec<(ExecutionId, FeedRecord)>) {
    let world = world();
    let parent = ended(&world, "rich", 5);
    let frames = world.block(world.engine.frames(parent)).unwrap();
    let child = frames.frames.iter().find_map(|frame| frame.child).unwrap();
    let reported = [parent, child]
        .map(|eid| (eid, describe(&world, eid)))
        .into();
    world.clock.advance(DAY * 8);
    if archived {
        pass(&world, "archives", None);
        world.clock.advance(DAY * 91);
    }
    (world, reported)
}

/// Whatever was the last request of a pass, everything reads as before.
fn nothing_is_lost(world: &World, reported: &[(ExecutionId, FeedRecord)]) {
    for (eid, before) in reported {
        assert_eq!(describe(world, *eid), *before, "I10: {eid} is whole");
    }
    nothing_is_wrong(world);
}

fn to_the_end(world: &World, reported: &[(ExecutionId, FeedRecord)], freed: bool) {
    world.clock.advance(DAY);
    pass(world, "next", None);
    let check = |how: &str| {
        for (eid, before) in reported {
            match freed {
                true => is_freed(world, *eid, before),
                false => is_archived(world, *eid, before),
            }
        }
        nothing_is_wrong(world);
        assert_eq!(under(world, "mail/"), [], "{how}");
        assert_eq!(under(world, "timers/"), [], "{how}");
    };
    check("after the next pass");
    release(world);
    check("after what came late");
    if freed {
        return;
    }
    let rows = world.block(world.engine.list(&Filter::default())).unwrap();
    assert_eq!(rows.len(), reported.len());
    assert!(rows.iter().all(|row| row.archived), "{rows:?}");
    // In their time they are expired, whatever was before.
    world.clock.advance(DAY * 100);
    pass(world, "last", None);
    for (eid, before) in reported {
        is_freed(world, *eid, before);
    }
    assert_eq!(under(world, keys::FEED), []);
}

fn everywhere(freed: bool) {
    let (world, _) = old(freed);
    let requests = pass(&world, "uncut", None);
    LATE.take();
    assert!(requests.len() > 10, "nothing to cut: {requests:?}");
    for (at, verb) in (0..).zip(&requests) {
        for way in Way::of(*verb) {
            let (world, reported) = old(freed);
            LATE.take();
            pass(&world, "cut", Some((*way, at)));
            eprintln!("cut {way:?} at {at} ({verb})");
            nothing_is_lost(&world, &reported);
            to_the_end(&world, &reported, freed);
        }
    }
}

#[test]
pub(in crate::tests) fn i10_a_archive_is_cut_before_and_after_each_request() {
    everywhere(false);
}

#[test]
fn i10_a_freed_key_is_cut_before_and_after_each_request() {
    everywhere(true);
}

/// The pass, then the one that recovers from it.
fn in_pairs(freed: bool) {
    let (world, _) = old(freed);
    let requests = pass(&world, "uncut", None).len() as u64;
    LATE.take();
    for first in 0..requests {
        for second in (first % 9..requests + 4).step_by(9) {
            let (world, reported) = old(freed);
            LATE.take();
            pass(&world, "first", Some((Way::LandedAndDied, first)));
            world.clock.advance(Duration::from_secs(3_600));
            pass(&world, "second", Some((Way::LandedAndDied, second)));
            eprintln!("cut at {first}, then at {second}");
            nothing_is_lost(&world, &reported);
            to_the_end(&world, &reported, freed);
        }
    }
}

#[test]
fn i10_a_archive_is_cut_and_so_is_the_pass_that_finishes_it() {
    in_pairs(false);
}

#[test]
fn i10_a_freed_key_is_cut_and_so_is_the_pass_that_finishes_it() {
    in_pairs(true);
}
