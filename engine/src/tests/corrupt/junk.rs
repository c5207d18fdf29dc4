//! Objects that nobody put there: named, passed by, and never in anybody's way.

use std::time::Duration;

use super::super::worker::{Log, beside, options, sleep};
use super::{ANSWER, app, put, town};
use crate::client::{Finding, Start};
use crate::domain::{ExecutionId, Status};
use crate::keys::{self, Key};
use crate::sweeper::Sweeper;
use crate::testing::World;
use crate::worker::WorkerEvent;

const SECOND: Duration = Duration::from_secs(1);

/// More than a page of what is no timer, due before every timer, and as much of no mail.
fn litter(world: &World, about: ExecutionId) -> Vec<Key> {
    let mut all = Vec::new();
    for n in 0..1_100 {
        all.push(format!("timers/0-junk-{n}"));
        all.push(format!("mail/default/00/junk-{n}"));
    }
    let shard = about.shard();
    all.extend([
        format!("timers/20260101T000000.000000Z/default/{about}.01"),
        format!("timers/20260101T000000.000000Z/default/{about}"),
        format!("mail/default/{shard}/{about}/bad~name"),
        format!("mail/default/{shard}/{about}/a/b"),
        format!("mail/UPPER/{shard}/{about}/0.start"),
        "feed/20260101/junk".to_owned(),
        "feed/junk".to_owned(),
        format!("x/{shard}/{about}/log/1-2"),
        format!("x/{shard}/{about}/blob/junk"),
        format!("x/{shard}/{about}/heads"),
        "x/junk".to_owned(),
    ]);
    let mut keys: Vec<Key> = all.iter().map(|text| Key::parse(text).unwrap()).collect();
    for key in &keys {
        put(world, key, Some(&"junk".into()));
    }
    keys.sort();
    keys
}

#[test]
fn i4_pages_full_of_junk_hide_no_cause_and_are_named_and_left() {
    let town = town();
    let world = &town.world;
    let napper = world.start(Start::new("nap")).eid;
    let junk = litter(world, town.victim);
    let what = sleep(world, 120 * SECOND);
    beside(world, options(world, &Log::default()), what);
    for eid in [town.victim, town.neighbours[0]] {
        assert_eq!(world.result::<u64>(eid), Ok(ANSWER));
    }
    assert_eq!(
        world.result::<u64>(napper),
        Ok(1),
        "its timer is behind them"
    );
    let audit = world.block(world.engine.audit()).unwrap();
    let mut foreign: Vec<Key> = Vec::new();
    for finding in audit.findings {
        match finding {
            Finding::Foreign { key } => foreign.push(key),
            other => panic!("{other:?}"),
        }
    }
    foreign.sort();
    assert_eq!(foreign, junk, "each is named, and is still there");
}

#[test]
fn i4_a_sweep_finds_timers_behind_a_page_of_junk() {
    let town = town();
    let world = &town.world;
    world.run_all();
    let napper = world.start(Start::new("nap")).eid;
    world.run_all();
    litter(world, town.victim);
    world.clock.advance(61 * SECOND);
    let swept = world.block(Sweeper::new(&world.engine).pass()).unwrap();
    assert_eq!(swept.timers, 1);
    assert_eq!(world.status(napper), Status::Suspended);
}

#[test]
fn timers_and_mail_of_a_lost_head_stay_and_harm_no_other_execution() {
    let town = town();
    let world = &town.world;
    let (nobody, queue) = (super::super::keyed("nobody"), Default::default());
    let timer = keys::timer(crate::ports::Clock::now(&*world.clock), &queue, &nobody, 3);
    // One that its execution did not set, too.
    let stale = keys::timer(
        crate::ports::Clock::now(&*world.clock),
        &queue,
        &town.victim,
        999,
    );
    let mail = keys::mail(
        &queue,
        &nobody,
        &crate::domain::MessageId::result(&nobody, 0),
    );
    for key in [&timer, &stale, &mail] {
        put(world, key, Some(&"junk".into()));
    }
    world.run_all();
    for eid in [town.victim, town.neighbours[0]] {
        assert_eq!(world.result::<u64>(eid), Ok(ANSWER));
    }
    assert_eq!(world.with_work(), [nobody].into());
    let ports = world.engine.ports();
    assert!(world.block(ports.read(&stale)).unwrap().is_none());
}

#[test]
fn i4_a_worker_backs_off_from_a_broken_head_and_serves_the_others_at_once() {
    let town = town();
    let (world, victim) = (&town.world, town.victim);
    let key = keys::head(&victim);
    let whole = super::found(world, &key).unwrap();
    put(world, &key, Some(&"{".into()));
    let log = Log::default();
    let client = super::super::neighbour(world, app, 5);
    let what = async {
        sleep(world, SECOND).await;
        for eid in town.neighbours {
            let status = client.engine.status(eid).await.unwrap();
            assert_eq!(status, Status::Completed);
        }
        sleep(world, 600 * SECOND).await;
    };
    beside(world, options(world, &log), what);
    let tries = log.count(|event| matches!(event, WorkerEvent::Failed(eid, message) if *eid == victim && message.contains(key.as_str())));
    // 0.1 s, 0.2 s, ... 30 s, then each half minute.
    assert!((20..=40).contains(&tries), "{tries} tries");
    put(world, &key, Some(&whole));
    beside(world, options(world, &log), sleep(world, 31 * SECOND));
    assert_eq!(world.result::<u64>(victim), Ok(ANSWER));
}
