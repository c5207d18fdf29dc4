//! Large values, inlined or separate; and which of two archives remains.

use std::time::Duration;

use super::{archive, completed};
use crate::archive::{self, Archive, Composed, Put};
use crate::client::Start;
use crate::domain::{Digest, Entry, ExecutionId, Payload, Status};
use crate::journal::{Archived, Journal};
use crate::keys;
use crate::process::App;
use crate::testing::{Injection, Rule, World};
use crate::{Context, Failed};

/// A text of `bytes` bytes, announced once and returned.
async fn text(ctx: Context, bytes: usize) -> Result<String, Failed> {
    let text = "x".repeat(bytes);
    ctx.announce("text", &text)?;
    Ok(text)
}

fn world() -> World {
    World::new(App::new().workflow("text", "1", text))
}

fn ended(world: &World, bytes: usize) -> ExecutionId {
    let eid = world.start(Start::new("text").input(&bytes)).eid;
    world.run_all();
    eid
}

fn compose(world: &World, eid: ExecutionId) -> Composed {
    let ports = world.engine.ports();
    world.block(async {
        let mut journal = Journal::load(ports, &eid).await.unwrap().unwrap();
        archive::compose(ports, &mut journal, 4).await.unwrap()
    })
}

fn put(world: &World, archive: &Archive) -> Put {
    world
        .block(archive::put(world.engine.ports(), archive))
        .unwrap()
}

#[test]
fn large_values_are_in_the_lines_up_to_a_bound_and_beside_them_beyond_it() {
    for (bytes, beside) in [(100, 0), (60 << 10, 0), (200 << 10, 1)] {
        let world = world();
        let eid = ended(&world, bytes);
        let (composed, counts) = world.counted(|world| compose(world, eid));
        let archive = &composed.archive;
        // The head, and the blob unless it is small; both entries refer to the same blob.
        let blob = u64::from(bytes > 32 << 10);
        assert_eq!(
            (counts.read_requests(), counts.write_requests()),
            (1 + blob, beside),
            "{bytes}"
        );
        let payloads = archive.commits.iter().flat_map(|c| &c.entries);
        let payloads: Vec<_> = payloads.filter_map(Entry::payload).collect();
        assert_eq!(payloads.len(), 2);
        for payload in payloads {
            assert_eq!(matches!(payload, Payload::Blob { .. }), beside == 1);
            let value = world.block(world.engine.value(&eid, payload)).unwrap();
            assert_eq!(value.get::<String>().unwrap().len(), bytes);
        }
        let whole = world.outcome(eid).value.unwrap();
        assert_eq!(composed.result, whole.digest(), "of its canonical form");
    }
}

#[test]
fn values_too_large_for_an_archive_are_stored_beside_it() {
    async fn many(ctx: Context, n: usize) -> Result<(), Failed> {
        for at in 0..n {
            ctx.announce("text", &format!("{at:0>9}{}", "x".repeat(100 << 10)))?;
        }
        Ok(())
    }
    let world = World::new(App::new().workflow("many", "1", many));
    let eid = world.start(Start::new("many").input(&50_usize)).eid;
    world.run_all();
    let composed = compose(&world, eid);
    let rows = world.memory.snapshot();
    let beside = rows.iter().filter(|(key, _)| keys::archived(key).is_some());
    assert_eq!(
        beside.count(),
        10,
        "40 of 100 KiB and their quotes fit into 4 MiB"
    );
    let body = composed.archive.encode().len();
    assert!((4_000_000..4_300_000).contains(&body), "{body}");
}

#[test]
fn a_value_of_an_execution_that_was_archived_meanwhile_is_found() {
    for bytes in [60 << 10, 200 << 10] {
        let world = world();
        let eid = ended(&world, bytes);
        let page = world.block(world.engine.journal(eid, 1, 100)).unwrap();
        let entries = page.commits.iter().flat_map(|commit| &commit.entries);
        let payload = entries.filter_map(Entry::payload).next().unwrap();
        assert!(matches!(payload, Payload::Blob { .. }));
        let composed = compose(&world, eid);
        let _ = put(&world, &composed.archive);
        let Payload::Blob { sha256, .. } = payload else {
            unreachable!()
        };
        let key = keys::blob(&eid, sha256.as_str());
        world.block(world.engine.ports().delete(&key)).unwrap();
        let value = world.block(world.engine.value(&eid, payload)).unwrap();
        assert_eq!(value.get::<String>().unwrap().len(), bytes);
    }
}

#[test]
fn found_equal_is_done_and_an_earlier_one_is_replaced_by_a_later_one_only() {
    let world = world();
    let first = archive(vec![vec![completed("1")]]);
    let later = archive(vec![vec![Entry::Started], vec![completed("2")]]);
    let mut another = first.clone(); // another execution of the same key
    another.record.created_at += Duration::from_secs(100 * 86_400);
    let digest = |archive: &Archive| Put::There(Digest::of(&archive.encode()));
    assert_eq!(put(&world, &first), digest(&first));
    let (again, counts) = world.counted(|world| put(world, &first));
    assert_eq!(again, digest(&first));
    assert_eq!((counts.write_requests(), counts.read_requests()), (1, 1));
    let (replaced, counts) = world.counted(|world| put(world, &later));
    assert_eq!(replaced, digest(&later));
    assert_eq!((counts.write_requests(), counts.read_requests()), (2, 1));
    assert_eq!(put(&world, &first), Put::Later);
    assert_eq!(put(&world, &another), digest(&another));
    assert_eq!(put(&world, &later), Put::Later);
    let eid = first.record.eid;
    let found = world.block(archive::read(world.engine.ports(), &eid, None));
    assert_eq!(found.unwrap(), Some(another));
}

#[test]
fn i2_case_13_an_archive_whose_reply_is_lost_or_wrong_is_written_once() {
    for injection in [
        Injection::LandedReplyLost,
        Injection::LandedRefused,
        Injection::Refused,
        Injection::NotSent,
    ] {
        let world = world();
        let first = archive(vec![vec![completed("1")]]);
        let later = archive(vec![vec![Entry::Started], vec![completed("2")]]);
        for archive in [&first, &later] {
            world
                .faults
                .add(Rule::new(injection).on_writes().under("archive/"));
            let digest = Digest::of(&archive.encode());
            assert_eq!(put(&world, archive), Put::There(digest), "{injection:?}");
        }
        let eid = first.record.eid;
        let found = world.block(archive::read(world.engine.ports(), &eid, None));
        assert_eq!(found.unwrap(), Some(later));
    }
}

#[test]
fn i10_an_archive_that_is_not_the_one_its_tombstone_names_is_reported_as_corrupt() {
    let world = world();
    let archive = archive(vec![vec![completed("1")]]);
    let eid = archive.record.eid;
    let mut named = Archived {
        sha256: Some(Digest::of(&archive.encode())),
        commit: 1,
        status: Status::Completed,
        result: Some(Digest::of(b"1")),
        deleted: None,
        free_at: jiff::Timestamp::MAX,
        next: None,
    };
    let read = |named: &Archived| {
        let read = archive::read(world.engine.ports(), &eid, Some(named));
        world.block(read).map_err(|error| error.to_string())
    };
    assert!(read(&named).unwrap_err().contains("missing"));
    let _ = put(&world, &archive);
    assert_eq!(read(&named), Ok(Some(archive)));
    named.sha256 = Some(Digest::of(b"another"));
    assert!(read(&named).unwrap_err().contains("its tombstone names"));
}
