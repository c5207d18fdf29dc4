//! The checks of a head.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{Settings, begin, commit, draft, entry, load, record, tamper, world};
use crate::domain::{ExecutionId, Text};
use crate::journal::{FORMAT, Head, Item, Lease, Named, News};
use crate::keys;
use crate::stored::Document as _;
use crate::stored::LoadError;

#[test]
fn a_head_is_read_back_as_it_was_written() {
    let world = world();
    let mut journal = begin(&world, record(&world, "a"));
    let eid = journal.head.record.eid;
    let now = journal.head.at;
    let mut draft = draft(
        &world,
        vec![entry(0, 10)],
        vec![Item::Entry(0), Item::Named(Named::Feed)],
    );
    draft.lease = Some(Lease {
        worker: "w".to_owned(),
        epoch: 7,
        until: now,
        ttl_ms: 30_000,
    });
    draft.timer = Some(keys::timer(now, &journal.head.record.queue, &eid, 1));
    draft.news = vec![News {
        commit: 1,
        at: now,
        kind: "execution.started".to_owned(),
        note: None,
    }];
    draft.crash_count = 3;
    commit(&world, &mut journal, &Settings::default(), draft).unwrap();
    let back = load(&world, &eid);
    assert_eq!(back.head.encode(), journal.head.encode());
    assert_eq!(
        (back.head.commit, back.head.entries, back.head.epoch),
        (1, 1, 7)
    );
    assert_eq!(back.tail_entries().unwrap(), vec![(0, entry(0, 10))]);
    // The epoch remains when the holder releases the lease.
    let free = super::draft(&world, vec![], vec![]);
    commit(&world, &mut journal, &Settings::default(), free).unwrap();
    assert_eq!((journal.head.epoch, journal.head.lease), (7, None));
}

fn changed(world: &crate::testing::World, change: impl Fn(&mut Value)) -> (LoadError, keys::Key) {
    let journal = begin(world, record(world, "a"));
    let key = journal.head.key();
    let mut value: Value = serde_json::from_slice(&journal.head.encode()).unwrap();
    change(&mut value);
    let body = Bytes::from(value.to_string());
    tamper(world, &key, Some(body.clone()));
    let loaded = Head::decode(&key, &journal.head.record.eid, &body);
    (loaded.unwrap_err(), key)
}

#[test]
fn a_head_of_a_later_release_is_refused_by_its_format() {
    for change in [
        (|head| head["format"] = json!(FORMAT + 1)) as fn(&mut Value),
        |head| *head = json!({"format": FORMAT + 1, "nothing": "known"}),
    ] {
        let (error, at) = changed(&world(), change);
        let newer = matches!(&error, LoadError::Newer { key, format, known } if *key == at && *format == FORMAT + 1 && *known == FORMAT);
        assert!(newer, "{error}");
    }
}

#[test]
fn what_is_no_head_of_this_execution_is_corrupt_and_named() {
    let other = ExecutionId::keyed(&Text::parse("b").unwrap(), 0);
    let queue = crate::domain::Queue::default();
    let timer = keys::timer(jiff::Timestamp::UNIX_EPOCH, &queue, &other, 1);
    let segment = keys::segment(&other, 0, "0123456789abcdef");
    let changes: [&dyn Fn(&mut Value); 11] = [
        &|head| head["format"] = json!(0),
        &|head| head["timer"] = json!(timer),
        // A run deletes the timer that its commit supersedes.
        &|head| head["timer"] = json!(keys::head(&other)),
        &|head| head["fired"] = json!(timer),
        &|head| head["sealed"] = json!([{"key": segment, "first": 0, "end": 1, "bytes": 1}]),
        &|head| head["record"]["eid"] = json!(other),
        &|head| head["outbox"] = json!([1, 2, 1]),
        &|head| head["outbox"] = json!(["feed", "feed"]),
        &|head| head["status"] = json!("asleep"),
        &|head| head["tail"] = json!([{"no": "first"}]),
        &|head| *head = json!([]),
    ];
    for change in changes {
        let world = world();
        let (error, at) = changed(&world, change);
        assert!(
            matches!(&error, LoadError::Corrupt { key, .. } if *key == at),
            "{error}"
        );
        assert!(error.to_string().contains(at.as_str()));
    }
}

#[test]
fn a_commit_in_the_tail_that_cannot_be_read_is_corrupt_and_named() {
    let world = world();
    let mut journal = begin(&world, record(&world, "a"));
    let (key, eid) = (journal.head.key(), journal.head.record.eid);
    commit(
        &world,
        &mut journal,
        &Settings::default(),
        draft(&world, vec![entry(0, 1)], vec![]),
    )
    .unwrap();
    let mut value: Value = serde_json::from_slice(&journal.head.encode()).unwrap();
    value["tail"][0]["entries"] = json!(["of a later kind"]);
    tamper(&world, &key, Some(value.to_string().into()));
    let mut journal = load(&world, &eid);
    let corrupt =
        |error: &LoadError| matches!(error, LoadError::Corrupt { key: named, .. } if *named == key);
    assert!(corrupt(&journal.tail_mids().unwrap_err()));
    assert!(corrupt(&journal.tail_entries().unwrap_err()));
    assert!(corrupt(
        &world
            .block(journal.history(super::ports(&world), 4))
            .unwrap_err()
    ));
}

#[test]
fn a_byte_that_changed_is_noticed_at_any_place() {
    let world = world();
    let journal = begin(&world, record(&world, "a"));
    let (key, eid, body) = (
        journal.head.key(),
        journal.head.record.eid,
        journal.head.encode(),
    );
    let mut passed = Vec::new();
    for at in 0..body.len() {
        for bit in 0..8 {
            let mut spoilt = body.to_vec();
            spoilt[at] ^= 1 << bit;
            if let Ok(head) = Head::decode(&key, &eid, &spoilt) {
                assert_eq!(head.encode(), body, "byte {at}, bit {bit}");
                passed.push(at);
            }
        }
    }
    // In the mark itself, while all other bytes are unchanged.
    let mark = body.len() - r#","sum":"0123456789abcdef"}"#.len();
    assert!(passed.iter().all(|at| *at >= mark), "{passed:?}");
}
