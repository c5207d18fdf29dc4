//! Case 15: a crash between a commit and the feed, and feed objects out of order.

use std::pin::pin;

use super::{SECOND, number, summing};
use crate::client::{Filter, Start};
use crate::domain::{ExecutionId, Status};
use crate::feed;
use crate::testing::{Injection, Rule, World};

/// What the feed reports of each commit, oldest first, and what a list shows.
fn reported(world: &World) -> (Vec<(u64, Status)>, Vec<Status>) {
    let ports = world.engine.ports();
    let keys = world.block(feed::events(ports, None, None)).unwrap();
    let keys: Vec<_> = keys.into_iter().map(|(key, _)| key).collect();
    let reported = world.block(feed::read(ports, &keys, 4)).unwrap();
    let mut reported: Vec<_> = reported
        .iter()
        .map(|reported| (reported.commit, reported.status))
        .collect();
    reported.sort_by_key(|reported| reported.0);
    let rows = world.block(world.engine.list(&Filter::default())).unwrap();
    (reported, rows.iter().map(|row| row.status).collect())
}

fn begun() -> (World, ExecutionId) {
    let world = World::new(summing());
    let eid = world.start(Start::new("sums").input(&1_u64)).eid;
    (world, eid)
}

#[test]
fn case_15_a_crash_between_a_commit_and_the_feed_is_repaired_by_the_next_run() {
    for (injection, landed) in [(Injection::Died, 0), (Injection::LandedAndDied, 1)] {
        let (world, eid) = begun();
        world.signal(eid, number(6)).unwrap();
        let dying = world.beside(summing(), "dying", 2);
        let cut = Rule::new(injection).on_writes().under("feed/");
        dying.faults.add(cut);
        let _ = dying.run(eid);
        assert!(dying.faults.is_dead(), "{injection:?}");
        // A reader of the head sees the end, though the feed may not have it.
        assert_eq!(world.status(eid), Status::Completed);
        assert_eq!(reported(&world).0.len(), landed);
        assert!(!world.causes(eid).mail.is_empty(), "its causes stay");
        world.run(eid).unwrap();
        let (feed, list) = reported(&world);
        assert_eq!(feed.len(), 1, "{injection:?}");
        assert_eq!(feed[0].1, Status::Completed);
        assert_eq!(list, [Status::Completed]);
        assert!(world.causes(eid).mail.is_empty());
    }
}

#[test]
fn case_15_an_older_feed_object_that_lands_last_overwrites_nothing() {
    let (world, eid) = begun();
    let slow = world.beside(summing(), "slow", 2);
    let delay = Rule::new(Injection::Delay(10 * SECOND)).on_writes();
    slow.faults.add(delay.under("feed/"));
    let mut suspends = pin!(slow.engine.run(eid, slow.causes(eid)));
    assert!(slow.pool.run_until_stalled(suspends.as_mut()).is_none());
    // It is suspended, and its feed object is under way. Another process takes it to its end.
    assert_eq!(world.status(eid), Status::Suspended);
    world.signal(eid, number(6)).unwrap();
    world.run(eid).unwrap();
    assert_eq!(world.result::<u64>(eid), Ok(6));
    let before = reported(&world);
    world.clock.advance(10 * SECOND);
    let _ = world.block(suspends);
    let after = reported(&world);
    assert_eq!((&before.1, &after.1), (&vec![Status::Completed], &before.1));
    assert!(after.0.len() >= before.0.len());
    let commits: std::collections::BTreeSet<_> =
        after.0.iter().map(|reported| reported.0).collect();
    assert_eq!(commits.len(), after.0.len(), "each commit is reported once");
    assert_eq!(
        after.0.last().map(|reported| reported.1),
        Some(Status::Completed)
    );
    assert_eq!(world.status(eid), Status::Completed);
}
