//! Mail, timers, feed objects.

use std::time::Duration;

use super::{ANSWER, Took, damages, found, newer, put, receive_two, resume, run, town};
use crate::client::{Filter, Start};
use crate::domain::{ExecutionId, Status};
use crate::keys::{FeedKey, Key, MailKey, TimerKey};
use crate::testing::World;

fn key_of(world: &World, fits: impl Fn(&Key) -> bool) -> Key {
    let mut rows = world.memory.snapshot().into_iter();
    rows.find(|(key, _)| fits(key)).unwrap().0
}

fn message(world: &World, to: ExecutionId) -> Key {
    key_of(world, |key| {
        MailKey::parse(key).is_some_and(|mail| mail.eid == to)
    })
}

#[test]
fn i3_broken_mail_blocks_by_name_or_is_left_and_stops_nobody_else() {
    let first = town();
    let whole = found(&first.world, &message(&first.world, first.victim)).unwrap();
    let other = found(&first.world, &message(&first.world, first.neighbours[0])).unwrap();
    let mut all = damages(&whole, &other);
    all.retain(|(_, body)| body.is_some());
    all.push(("newer".to_owned(), Some(newer(&whole))));
    let mut ended = 0;
    for (what, body) in &all {
        let town = town();
        let (world, victim) = (&town.world, town.victim);
        let key = message(world, victim);
        put(world, &key, body.as_ref());
        match run(&town, &key, what) {
            // It is in the journal as it was found: its sender sends it again.
            Took::Blocked => {
                assert_ne!(what, "newer");
                resume(world, victim);
                assert_eq!(world.status(victim), Status::Suspended, "{what}");
                receive_two(world, victim);
                world.run_all();
            }
            Took::Named => {
                assert_eq!(what, "newer");
                put(world, &key, Some(&whole));
                world.run_all();
            }
            Took::Ended => ended += 1,
        }
        assert_eq!(world.result::<u64>(victim), Ok(ANSWER), "{what}");
        assert!(world.with_work().is_empty(), "{what}");
    }
    assert!(ended < all.len() / 10, "{ended} of {}", all.len());
}

#[test]
fn broken_mail_that_starts_an_execution_blocks_it_and_a_resume_starts_it() {
    let first = town();
    let fresh = first.neighbours[1];
    let whole = found(&first.world, &message(&first.world, fresh)).unwrap();
    for (what, body) in damages(&whole, &"{}".into()) {
        let Some(body) = body else { continue };
        let town = town();
        let (world, fresh) = (&town.world, town.neighbours[1]);
        let key = message(world, fresh);
        put(world, &key, Some(&body));
        world.run_all();
        if world.status(fresh) != Status::Completed {
            assert_eq!(super::blocked_by(world, fresh), key.as_str(), "{what}");
            resume(world, fresh);
        }
        assert_eq!(world.result::<u64>(fresh), Ok(3), "{what}");
        assert_eq!(world.result::<u64>(town.victim), Ok(ANSWER), "{what}");
    }
}

#[test]
fn what_a_timer_holds_does_not_matter() {
    for (what, body) in damages(&"{\"format\":1}".into(), &"{\"format\":9}".into()) {
        let Some(body) = body else { continue };
        let town = town();
        let world = &town.world;
        let eid = world.start(Start::new("nap")).eid;
        world.run_all();
        let key = key_of(world, |key| TimerKey::parse(key).is_some());
        put(world, &key, Some(&body));
        world.skip(Duration::from_secs(61));
        assert_eq!(world.result::<u64>(eid), Ok(1), "{what}");
        assert_eq!(found(world, &key), None, "{what}: it is served");
    }
}

#[test]
fn an_execution_whose_feed_object_is_broken_is_listed_by_its_head() {
    let first = town();
    let feed = |world: &World, eid: ExecutionId| {
        key_of(world, |key| {
            FeedKey::parse(key).is_some_and(|reported| reported.eid == eid)
        })
    };
    let whole = found(&first.world, &feed(&first.world, first.victim)).unwrap();
    let other = found(&first.world, &feed(&first.world, first.neighbours[0])).unwrap();
    for (what, body) in damages(&whole, &other) {
        let Some(body) = body else { continue };
        let town = town();
        let (world, victim) = (&town.world, town.victim);
        put(world, &feed(world, victim), Some(&body));
        let rows = world.block(world.engine.list(&Filter::default())).unwrap();
        let mut listed: Vec<ExecutionId> = rows.iter().map(|row| row.eid).collect();
        listed.sort();
        let mut all = vec![victim, town.neighbours[0], town.neighbours[1]];
        all.sort();
        assert_eq!(listed, all, "{what}");
        world.run_all();
        assert_eq!(world.result::<u64>(victim), Ok(ANSWER), "{what}");
    }
}
