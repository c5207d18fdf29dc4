//! An execution that somebody re-opens while it is archived: the compare-and-swap decides.

use futures::future::join;

use super::{DAY, Duration, app, commit, ended, head, is_archived, neighbour, nothing_is_wrong};
use super::{Entry, ExecutionId, Json, Notice, Retained, Retention, RetentionSettings, Status};
use super::{Journal, Settings, describe, draft, keys, retain, under, world};
use crate::client::Signal;
use crate::domain::{Body, MessageId, Queue};
use crate::ports::Clock as _;
use crate::run::Ended;
use crate::testing::{Injection, Rule, Verb, World};

async fn pass(world: &World) -> Retained {
    let retention = Retention::new(&world.engine, RetentionSettings::default()).unwrap();
    retention.pass(&Notice::new()).await.unwrap()
}

fn reopen(world: &World, eid: ExecutionId) {
    commit(world, eid, Status::Running, vec![Entry::Resumed]);
}

/// It ends again, and the feed reports it.
fn end_again(world: &World, eid: ExecutionId) {
    let value = Json::of(&77_u64).unwrap().into();
    commit(
        world,
        eid,
        Status::Completed,
        vec![Entry::Completed { value }],
    );
    let head = head(world, eid);
    let reported = crate::feed::FeedRecord {
        format: 1,
        eid,
        commit: head.commit,
        at: head.at,
        workflow: head.record.workflow,
        version: head.record.version,
        queue: head.record.queue,
        dispatch_key: head.record.dispatch_key,
        parent: None,
        created_at: head.record.created_at,
        status: head.status,
        generation: head.generation,
        events: Vec::new(),
    };
    world
        .block(crate::feed::write(world.engine.ports(), &reported))
        .unwrap();
}

#[test]
pub(in crate::tests) fn a9_what_was_re_opened_between_archive_and_tombstone_is_left_alone() {
    let world = world();
    let eid = ended(&world, "sequential", 20);
    assert!(!head(&world, eid).sealed.is_empty(), "it has segments");
    world.clock.advance(DAY * 8);
    // Its archive is on its way for a while.
    let slow = neighbour(&world, app, 2);
    let delay = Rule::new(Injection::Delay(Duration::from_secs(10)));
    slow.faults.add(delay.on_writes().under("archive/"));
    let reopens = async {
        world.clock.sleep(Duration::from_secs(5)).await;
        let other = neighbour(&world, app, 3);
        let ports = other.engine.ports();
        let mut journal = crate::journal::Journal::load(ports, &eid)
            .await
            .unwrap()
            .unwrap();
        let draft = crate::journal::Draft {
            at: ports.clock.now(),
            by: crate::domain::Actor::human("ada").into(),
            frames: None,
            entries: vec![Entry::Resumed],
            lease: None,
            status: Status::Running,
            timer: None,
            fired: None,
            outbox: Vec::new(),
            news: Vec::new(),
            crash_count: 0,
            budget: crate::domain::Budget::default(),
            unread: None,
            deadline: ports.clock.monotonic() + DAY,
        };
        let settings = crate::settings::Settings::default();
        journal.commit(ports, &settings, draft).await.unwrap();
    };
    let (retained, ()) = world.block(join(pass(&slow), reopens));
    assert_eq!((retained.archived, retained.left), (0, 1));
    let there = head(&world, eid);
    assert_eq!(there.status, Status::Running, "it goes on");
    for segment in &there.sealed {
        assert!(
            under(&world, "x/").contains(&segment.key),
            "nothing was deleted"
        );
    }
    end_again(&world, eid);
    assert_eq!(world.result::<u64>(eid), Ok(77));
    let before = describe(&world, eid);
    world.clock.advance(DAY * 8);
    assert_eq!(
        retain(&world).archived,
        1,
        "in its time it is archived, as it is then"
    );
    is_archived(&world, eid, &before);
}

/// The first one is slow to write its archive; meanwhile the execution is re-opened, ends
/// again, and is archived.
#[test]
pub(in crate::tests) fn a_slow_pass_never_replaces_the_archive_of_a_later_end() {
    let world = world();
    let eid = ended(&world, "sequential", 20);
    world.clock.advance(DAY * 8);
    let slow = world.beside(app(), "slow", 2);
    // Its archive comes when all is over; it meets what is there, and looks again.
    let (ports, concurrency) = (slow.engine.ports(), 4);
    let first = world.block(async {
        let journal = crate::journal::Journal::load(ports, &eid).await;
        let mut journal = journal.unwrap().unwrap();
        crate::archive::compose(ports, &mut journal, concurrency)
            .await
            .unwrap()
    });
    reopen(&world, eid);
    end_again(&world, eid);
    let before = describe(&world, eid);
    world.clock.advance(DAY * 8);
    assert_eq!(retain(&world).archived, 1);
    is_archived(&world, eid, &before);
    let put = slow
        .block(crate::archive::put(ports, &first.archive))
        .unwrap();
    assert_eq!(put, crate::archive::Put::Later);
    is_archived(&world, eid, &before);
    nothing_is_wrong(&world);
}

#[test]
fn a9_an_archive_beside_a_head_that_was_re_opened_is_replaced_when_it_ends() {
    let world = world();
    let eid = ended(&world, "sequential", 20);
    world.clock.advance(DAY * 8);
    let dies = world.beside(app(), "dies", 2);
    let archive = Rule::new(Injection::LandedAndDied).on_writes();
    dies.faults.add(archive.under("archive/"));
    let retention = Retention::new(&dies.engine, RetentionSettings::default()).unwrap();
    assert!(dies.block(retention.pass(&Notice::new())).is_err());
    reopen(&world, eid);
    assert_eq!(retain(&world).archived, 0);
    assert_eq!(head(&world, eid).status, Status::Running);
    end_again(&world, eid);
    let before = describe(&world, eid);
    world.clock.advance(DAY * 8);
    assert_eq!(retain(&world).archived, 1);
    is_archived(&world, eid, &before);
}

/// A run that read the end lists a message of the re-opened execution: the head decides once more.
#[test]
pub(in crate::tests) fn a23_a_message_of_a_re_opened_execution_is_not_deleted_by_a_run_that_read_its_end()
 {
    let world = world();
    let eid = ended(&world, "sequential", 3);
    // A duplicate wakes the run.
    let start = keys::mail(&Queue::default(), &eid, &MessageId::start());
    let body = world.memory.recorded();
    let body = body.iter().find(|(key, _)| *key == start).unwrap();
    let body = body.1.clone();
    let _ = world
        .block(world.engine.ports().create(&start, body))
        .unwrap();
    let slow = neighbour(&world, app, 2);
    let delay = Rule::new(Injection::Delay(Duration::from_secs(10)));
    slow.faults.add(delay.on(Verb::List));
    let reopens = async {
        world.clock.sleep(Duration::from_secs(5)).await;
        let ports = world.engine.ports();
        let mut journal = Journal::load(ports, &eid).await.unwrap().unwrap();
        let reason = "re-opened".to_owned();
        let draft = draft(ports, Status::Paused, vec![Entry::Paused { reason }]);
        journal
            .commit(ports, &Settings::default(), draft)
            .await
            .unwrap();
        let signal = Signal::on("in").value(&1_u64);
        world.engine.signal(eid, signal).await.unwrap();
    };
    let causes = slow.causes(eid);
    let (ended, ()) = world.block(join(slow.engine.run(eid, causes), reopens));
    assert_eq!(ended.unwrap(), Ended::Parked(Status::Paused));
    let received = |entry: &Entry| {
        let body = Body::Message {
            channel: "in".parse().unwrap(),
            payload: Json::of(&1_u64).unwrap().into(),
        };
        matches!(entry, Entry::Received { body: found, .. } if *found == body)
    };
    let page = world
        .block(world.engine.journal(eid, 1, usize::MAX))
        .unwrap();
    let mut entries = page.commits.iter().flat_map(|commit| &commit.entries);
    assert!(entries.any(received), "it is lost");
    assert_eq!(under(&world, "mail/"), []);
}

/// A9: a pass that read the feed object of an earlier end leaves the tombstone of a later one to the pass that
/// wrote it.
#[test]
pub(in crate::tests) fn a9_a_pass_continues_only_with_the_tombstone_of_its_commit() {
    let world = world();
    let eid = ended(&world, "sequential", 3);
    reopen(&world, eid);
    end_again(&world, eid);
    world.clock.advance(DAY * 8);
    let dies = world.beside(app(), "dies", 2);
    let tombstone = Rule::new(Injection::LandedAndDied).on_writes();
    dies.faults.add(tombstone.under("x/"));
    let retention = Retention::new(&dies.engine, RetentionSettings::default()).unwrap();
    assert!(dies.block(retention.pass(&Notice::new())).is_err());
    // The page of the next pass ends before the later end.
    let archived = head(&world, eid).archived.unwrap();
    let later = super::words(&world, eid, archived.commit);
    let body = world.memory.snapshot();
    for key in &later {
        world.block(world.engine.ports().delete(key)).unwrap();
    }
    assert_eq!(retain(&world).finished, 0);
    for (key, body) in body.into_iter().filter(|(key, _)| later.contains(key)) {
        let _ = world
            .block(world.engine.ports().create(&key, body))
            .unwrap();
    }
    world
        .block(world.engine.ports().delete(&keys::retention()))
        .unwrap();
    assert_eq!(retain(&world).finished, 1);
}
