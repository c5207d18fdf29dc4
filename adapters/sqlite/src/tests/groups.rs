//! Groups: requests that are confirmed together.

use std::sync::Arc;
use std::sync::mpsc::channel;

use futures::channel::oneshot;
use futures::executor::block_on;
use futures::future::{join_all, ready, select};
use millpond::keys::Prefix;
use millpond::ports::{Bucket as _, BucketError, Expect, Fault, Outcome};
use rusqlite::Connection;

use super::{RELAXED, body, fresh, key};
use crate::connection::Place;
use crate::requests::Request;
use crate::writer::Writer;

type Answer = oneshot::Receiver<Result<Outcome, BucketError>>;

fn write(to: &str, expect: Expect) -> (Request, Answer) {
    let (answer, answered) = oneshot::channel();
    let request = Request::Write {
        key: key(to),
        body: body("body"),
        expect,
        answer,
    };
    (request, answered)
}

#[test]
fn q1_one_group_with_two_creates_of_a_key_lands_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pond.db");
    let (place, handle) = Place::open(&path, RELAXED).unwrap();
    let writer = Writer::new(Arc::new(place), handle).unwrap();
    let (send, requests) = channel();
    let (one, first) = write("a", Expect::Absent);
    let (two, second) = write("a", Expect::Absent);
    send.send(one).unwrap();
    send.send(two).unwrap();
    drop(send);
    writer.serve(&requests);
    assert!(matches!(block_on(first).unwrap(), Ok(Outcome::Landed(_))));
    assert!(matches!(block_on(second).unwrap(), Ok(Outcome::Refused)));
}

#[test]
fn q2_a_group_that_cannot_be_committed_answers_no_refusal_either() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pond.db");
    let (place, handle) = Place::open(&path, RELAXED).unwrap();
    // The file may not grow: the commit, or a statement before it, runs out of space.
    let pages: i64 = handle
        .sqlite
        .query_row("PRAGMA page_count", [], |row| row.get(0))
        .unwrap();
    let most = format!("PRAGMA max_page_count = {pages}");
    let _: i64 = handle
        .sqlite
        .query_row(&most, [], |row| row.get(0))
        .unwrap();
    let writer = Writer::new(Arc::new(place), handle).unwrap();
    let (send, requests) = channel();
    let (one, first) = write("a", Expect::Absent);
    let (two, second) = write("a", Expect::Absent);
    let (answer, third) = oneshot::channel();
    let large = Request::Write {
        key: key("b"),
        body: vec![7; 1 << 20].into(),
        expect: Expect::Absent,
        answer,
    };
    for request in [one, two, large] {
        send.send(request).unwrap();
    }
    drop(send);
    writer.serve(&requests);
    let error = block_on(third).unwrap().unwrap_err();
    assert_eq!(error.fault, Fault::Full, "{error}");
    let landed = Connection::open(&path).unwrap();
    let rows: i64 = landed
        .query_row("SELECT count(*) FROM objects", [], |row| row.get(0))
        .unwrap();
    for (answer, when_landed) in [(first, "landed"), (second, "refused")] {
        match block_on(answer).unwrap() {
            Err(error) => assert_eq!((error.fault, rows), (Fault::Full, 0)),
            Ok(Outcome::Landed(_)) => assert_eq!((when_landed, rows), ("landed", 1)),
            Ok(Outcome::Refused) => assert_eq!((when_landed, rows), ("refused", 1)),
            Ok(Outcome::Unknown) => panic!("it is known"),
        }
    }
}

#[test]
fn q3_a_key_made_again_has_another_version_though_its_bytes_are_the_same() {
    let (_folder, bucket) = fresh();
    let at = key("a");
    let make = || match block_on(bucket.write(&at, body("1"), Expect::Absent)) {
        Ok(Outcome::Landed(version)) => version,
        other => panic!("{other:?}"),
    };
    let first = make();
    block_on(bucket.delete(&at)).unwrap();
    let second = make();
    assert_ne!(first, second);
    let stale = bucket.write(&at, body("2"), Expect::At(first));
    assert!(matches!(block_on(stale), Ok(Outcome::Refused)));
}

#[test]
fn a_write_whose_future_is_dropped_is_in_nobodys_way() {
    let (_folder, bucket) = fresh();
    let at = key("a");
    {
        let write = bucket.write(&at, body("1"), Expect::Absent);
        // Polled once, then dropped: it still runs to completion.
        let _dropped = block_on(select(write, ready(())));
    }
    let outcome = block_on(bucket.write(&at, body("2"), Expect::Absent)).unwrap();
    let found = block_on(bucket.read(&at)).unwrap().unwrap().body;
    assert!(matches!(outcome, Outcome::Refused), "{outcome:?}");
    assert_eq!(found, "1");
}

#[test]
fn a_thousand_writes_at_once_are_all_answered() {
    let (_folder, bucket) = fresh();
    let writes = (0..1_000).map(|n| {
        let (at, bucket) = (key(&format!("k/{n}")), &bucket);
        async move { bucket.write(&at, body("1"), Expect::Absent).await }
    });
    let answers = block_on(join_all(writes));
    assert!(answers.iter().all(|a| matches!(a, Ok(Outcome::Landed(_)))));
}

#[test]
fn a_list_walks_past_no_object_outside_its_prefix() {
    let (_folder, bucket) = fresh();
    for n in 0..200 {
        let _ = block_on(bucket.write(&key(&format!("a/{n}")), body("1"), Expect::Absent));
    }
    for at in ["m/1", "m/2", "z/1"] {
        let _ = block_on(bucket.write(&key(at), body("1"), Expect::Absent));
    }
    let hand = Connection::open(bucket.path()).unwrap();
    let mut statement = hand.prepare(crate::readers::LIST).unwrap();
    let rows = statement.query_map(("m/", "m/\u{7f}"), |row| row.get::<_, String>(0));
    let keys: Vec<_> = rows.unwrap().map(Result::unwrap).collect();
    assert_eq!(keys, ["m/1", "m/2"]);
    let steps = statement.get_status(rusqlite::StatementStatus::VmStep);
    assert!(steps < 60, "{steps} steps for two rows");
    let prefix = Prefix::parse("m/").unwrap();
    let page = block_on(bucket.list(&prefix, Some(&key("m/1")), 9)).unwrap();
    let keys: Vec<_> = page.entries.iter().map(|row| row.key.as_str()).collect();
    assert_eq!(keys, ["m/2"]);
    let before = block_on(bucket.list(&prefix, Some(&key("a/5")), 9)).unwrap();
    assert_eq!(before.entries.len(), 2);
}
