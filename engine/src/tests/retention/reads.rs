//! What can be read of an execution once it is archived, and once its key is free; and what the
//! audit reports if it cannot be read.

use super::{DAY, Status, ended, head, nothing_is_wrong, retain, under, world};
use crate::client::{EngineError, Filter, Finding};
use crate::keys;
use crate::stored::Document as _;

#[test]
fn an_archived_execution_is_listed_as_archived_and_shown_as_it_ended() {
    let world = world();
    let eid = ended(&world, "fails", 0);
    world.clock.advance(DAY * 8);
    retain(&world);
    let list = |status: Status| {
        let filter = Filter {
            status: vec![status],
            ..Filter::default()
        };
        world.block(world.engine.list(&filter)).unwrap()
    };
    // Item 22: with its final status.
    for status in [Status::Failed, Status::Archived] {
        let rows = list(status);
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].status, rows[0].archived), (Status::Failed, true));
    }
    assert!(list(Status::Completed).is_empty());
    let rows = list(Status::Archived);
    assert_eq!(rows[0].dispatch_key.as_deref(), Some("fails"));
    assert_eq!(world.status(eid), Status::Archived);
    let shown = world.block(world.engine.execution(eid)).unwrap();
    assert_eq!(shown.status, Status::Failed);
    assert_eq!(shown.archive, Some(keys::archive(&eid)));
    assert_eq!(world.outcome(eid).status, Status::Failed);
    world.clock.advance(DAY * 91);
    retain(&world);
    let all = world.block(world.engine.list(&Filter::default())).unwrap();
    assert!(all.is_empty());
    let shown = world.block(world.engine.execution(eid)).unwrap();
    assert_eq!((shown.status, shown.head_bytes), (Status::Failed, 0));
    assert_eq!(world.status(eid), Status::Archived);
    assert_eq!(world.block(world.engine.known()).unwrap(), []);
}

#[test]
fn an_execution_that_never_was_is_still_unknown() {
    let world = world();
    let eid = super::keyed("nobody");
    let unknown = |error: EngineError| matches!(error, EngineError::UnknownExecution { .. });
    assert!(unknown(world.block(world.engine.status(eid)).unwrap_err()));
    assert!(unknown(
        world.block(world.engine.journal(eid, 1, 1)).unwrap_err()
    ));
    let never = world.engine.result(eid, std::time::Duration::ZERO);
    assert!(unknown(world.block(never).unwrap_err()));
}

#[test]
fn the_audit_names_an_archive_that_is_missing_or_not_what_it_was() {
    let world = world();
    let eid = ended(&world, "rich", 5);
    world.clock.advance(DAY * 8);
    retain(&world);
    nothing_is_wrong(&world);
    let ports = world.engine.ports();
    let findings = || world.block(world.engine.audit()).unwrap().findings;
    let is_named = |key: &keys::Key, words: &str| {
        let found = findings();
        let named = matches!(&found[..],
            [Finding::Broken { eid: of, key: found, why }]
                if *of == eid && found == key && why.contains(words));
        assert!(named, "{found:?}");
    };
    let beside = under(&world, keys::ARCHIVE_BLOB).remove(0);
    let archive = keys::archive(&eid);
    for key in [beside, archive] {
        let body = world.block(ports.read(&key)).unwrap().unwrap().body;
        world.block(ports.delete(&key)).unwrap();
        is_named(&key, "missing");
        let mut changed = body.to_vec();
        changed[40] ^= 1;
        let _ = world.block(ports.create(&key, changed.into())).unwrap();
        is_named(&key, "its bytes are not those");
        world.block(ports.delete(&key)).unwrap();
        let _ = world.block(ports.create(&key, body)).unwrap();
        nothing_is_wrong(&world);
    }
}

/// Everybody who looks reads the head first, and then what it names.
#[test]
fn a_reader_during_archiving_receives_the_same() {
    use crate::ports::Clock as _;
    let world = world();
    let eid = ended(&world, "rich", 5);
    let before = super::describe(&world, eid);
    world.clock.advance(DAY * 8);
    let slow = super::neighbour(&world, super::app, 2);
    let late = crate::testing::Rule::new(crate::testing::Injection::Delay(DAY / 24));
    for named in ["log/", "blob/"] {
        let under = format!("{}{named}", keys::execution(&eid));
        let rule = late.clone().on(crate::testing::Verb::Read).under(under);
        slow.faults.add(rule.always());
    }
    let archives = async {
        world.clock.sleep(DAY / 48).await;
        let settings = crate::retention::RetentionSettings::default();
        let retention = crate::retention::Retention::new(&world.engine, settings).unwrap();
        let pass = retention
            .pass(&crate::process::Notice::new())
            .await
            .unwrap();
        assert_eq!(pass.archived, 2);
    };
    let engine = &slow.engine;
    let looks = async {
        let wait = std::time::Duration::ZERO;
        futures::join!(
            engine.audit(),
            engine.journal(eid, 1, usize::MAX),
            engine.frames(eid),
            engine.result(eid, wait),
            engine.price(eid),
        )
    };
    let ((audit, journal, frames, result, price), ()) =
        world.block(futures::future::join(looks, archives));
    assert_eq!(audit.unwrap().findings, []);
    assert_eq!(journal.unwrap().commits.len(), before.commits.len());
    assert_eq!(
        frames.unwrap().status,
        crate::client::FrameStatus::Completed
    );
    assert_eq!(result.unwrap().value.ok(), before.outcome.1.clone().ok());
    let price = price.unwrap();
    assert_eq!((price.write_requests, price.read_requests), before.price);
    super::is_archived(&world, eid, &before);
}

#[test]
fn a_head_with_two_statements_about_its_archive_is_corrupt() {
    let world = world();
    let eid = ended(&world, "sequential", 5);
    let live = head(&world, eid);
    world.clock.advance(DAY * 8);
    retain(&world);
    let good = head(&world, eid);
    let (key, archived) = (good.key(), good.archived.clone().unwrap());
    let why = |head: &crate::journal::Head| {
        let read = crate::journal::Head::decode(&key, &eid, &head.encode());
        read.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(why(&good), Ok(()));
    let mut silent = good.clone();
    silent.archived = None;
    assert!(
        why(&silent)
            .unwrap_err()
            .contains("does not name its archive")
    );
    let mut alive = live;
    alive.archived = Some(archived);
    assert!(why(&alive).unwrap_err().contains("not archived"));
    let mut second = good.clone();
    second.archived.as_mut().unwrap().next = Some(2);
    assert_eq!(why(&second), Ok(()));
    second.record.n = 1;
    assert!(why(&second).unwrap_err().contains("next execution"));
    let mut early = good;
    early.archived.as_mut().unwrap().commit = 1;
    assert!(why(&early).unwrap_err().contains("archived at commit 1"));
}
