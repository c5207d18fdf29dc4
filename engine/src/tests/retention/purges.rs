//! Tombstones that are purged, and keys that are free again.

use futures::future::join;

use super::{DAY, Duration, app, ended, is_purged, neighbour, nothing_is_wrong, retain, tell};
use super::{ExecutionId, Notice, Retained, Retention, RetentionSettings, keys, under, world};
use crate::client::{Filter, Start};
use crate::ports::Clock as _;
use crate::testing::{Injection, Rule, Verb, World};

/// Archived, and old enough to be purged.
fn ripe() -> (World, ExecutionId) {
    let world = world();
    let eid = ended(&world, "sequential", 5);
    world.clock.advance(DAY * 8);
    assert_eq!(retain(&world).archived, 1);
    world.clock.advance(DAY * 91);
    (world, eid)
}

async fn pass(world: &World) -> Retained {
    let retention = Retention::new(&world.engine, RetentionSettings::default()).unwrap();
    retention.pass(&Notice::new()).await.unwrap()
}

#[test]
fn i10_a_tombstone_goes_after_the_second_delay_and_not_before() {
    let world = world();
    let eid = ended(&world, "rich", 5);
    let before = tell(&world, eid);
    world.clock.advance(DAY * 8);
    retain(&world);
    world.clock.advance(DAY * 89);
    let early = retain(&world);
    assert_eq!((early.purged, early.expired), (0, 3), "what it told before");
    assert_eq!(under(&world, "x/").len(), 2);
    world.clock.advance(DAY * 2);
    assert_eq!(retain(&world).purged, 2);
    is_purged(&world, eid, &before);
    assert_eq!(
        under(&world, keys::FEED),
        [],
        "days go with what they tell of"
    );
    nothing_is_wrong(&world);
    assert_eq!(retain(&world), Retained::default());
}

#[test]
fn a_key_whose_tombstone_is_purged_starts_anew_and_its_archive_is_replaced() {
    let (world, eid) = ripe();
    assert_eq!(retain(&world).purged, 1);
    let again = world.start(Start::new("sequential").key("sequential").input(&6_u64));
    assert_eq!((again.eid, again.fresh), (eid, true));
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(15));
    let before = tell(&world, eid);
    world.clock.advance(DAY * 8);
    assert_eq!(retain(&world).archived, 1);
    super::is_archived(&world, eid, &before);
    world.clock.advance(DAY * 91);
    assert_eq!(retain(&world).purged, 1);
    is_purged(&world, eid, &before);
}

#[test]
fn what_an_execution_told_is_not_taken_for_words_of_the_next_one_of_its_key() {
    let (world, eid) = ripe();
    // It dies when the tombstone is gone, and its last word is not.
    let dies = world.beside(app(), "dies", 9);
    let tombstone = keys::head(&eid);
    let injection = Rule::new(Injection::LandedAndDied).on(Verb::Delete);
    dies.faults.add(injection.under(tombstone.as_str()));
    let retention = Retention::new(&dies.engine, RetentionSettings::default()).unwrap();
    assert!(dies.block(retention.pass(&Notice::new())).is_err());
    assert_eq!(under(&world, keys::FEED).len(), 1);
    nothing_is_wrong(&world);
    let again = world.start(Start::new("hears").key("sequential"));
    assert!(again.fresh);
    world.run_all();
    world.clock.advance(DAY);
    assert_eq!(retain(&world).expired, 1);
    let rows = world.block(world.engine.list(&Filter::default())).unwrap();
    let told: Vec<_> = rows.iter().map(|row| row.status.as_str()).collect();
    assert_eq!(told, ["suspended"]);
    assert_eq!(under(&world, "x/").len(), 1, "it is not touched");
}

/// The one purges, and stands still before it deletes the tombstone; the other begins.
#[test]
pub(in crate::tests) fn a_slow_purge_never_meets_the_next_execution_of_its_key() {
    let (world, eid) = ripe();
    let slow = neighbour(&world, app, 2);
    let stands = Rule::new(Injection::Delay(Duration::from_secs(120)));
    let tombstone = keys::head(&eid);
    slow.faults
        .add(stands.on(Verb::Delete).under(tombstone.as_str()));
    let other = async {
        world.clock.sleep(Duration::from_secs(10)).await;
        let retained = pass(&world).await;
        let start = Start::new("hears").key("sequential");
        (retained, world.engine.start(start).await.unwrap())
    };
    let (first, (second, again)) = world.block(join(pass(&slow), other));
    assert_eq!(first.purged + second.purged, 1, "one of them purges");
    // Either the key was not free yet, or its execution is there.
    if again.fresh {
        assert_eq!(under(&world, "x/"), [tombstone]);
    }
    world.run_all();
    nothing_is_wrong(&world);
    let start = Start::new("hears").key("sequential");
    assert!(world.start(start).fresh != again.fresh, "it starts once");
}

#[test]
fn a_purge_that_takes_too_long_gives_up_and_another_pass_takes_over() {
    let (world, eid) = ripe();
    let slow = world.beside(app(), "slow", 3);
    let late = keys::blob(&eid, crate::domain::Digest::of(b"1").as_str());
    let _ = world
        .block(world.engine.ports().create(&late, "1".into()))
        .unwrap();
    let stands = Rule::new(Injection::Delay(Duration::from_secs(301)));
    slow.faults
        .add(stands.on(Verb::Delete).under(late.as_str()));
    let retention = Retention::new(&slow.engine, RetentionSettings::default()).unwrap();
    let late = slow.block(retention.pass(&Notice::new())).unwrap_err();
    assert!(late.to_string().contains("took too long"), "{late}");
    let (early, tombstone) = (retain(&world), keys::head(&eid));
    assert_eq!(early.purged, 0, "the first one may still be at it");
    assert!(under(&world, "x/").contains(&tombstone));
    world.clock.advance(Duration::from_secs(600));
    assert_eq!(retain(&world).purged, 1);
    assert_eq!(under(&world, "x/"), []);
    nothing_is_wrong(&world);
}

#[test]
fn what_was_lost_is_no_purge_and_stays_a_finding() {
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
