//! Q4: removal and replacement of the file under an open bucket.

use std::fs;
use std::path::Path;

use futures::executor::block_on;
use millpond::keys::Prefix;
use millpond::ports::{Bucket as _, Expect, Fault, Outcome};

use super::{RELAXED, body, fresh, key};
use crate::SqliteBucket;

/// The file and the files that SQLite keeps beside it.
fn all(path: &Path) -> Vec<std::path::PathBuf> {
    let beside = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        name.into()
    };
    vec![path.to_owned(), beside("-wal"), beside("-shm")]
}

fn create(bucket: &SqliteBucket, at: &str) {
    let outcome = block_on(bucket.write(&key(at), body("1"), Expect::Absent));
    assert!(matches!(outcome, Ok(Outcome::Landed(_))), "{outcome:?}");
}

#[test]
fn q4_a_file_that_was_removed_is_gone_not_empty() {
    let (_folder, bucket) = fresh();
    create(&bucket, "a");
    for file in all(bucket.path()) {
        fs::remove_file(file).unwrap();
    }
    let read = block_on(bucket.read(&key("a"))).unwrap_err();
    let list = block_on(bucket.list(&Prefix::all(), None, 9)).unwrap_err();
    let write = block_on(bucket.write(&key("b"), body("1"), Expect::Absent)).unwrap_err();
    let delete = block_on(bucket.delete(&key("a"))).unwrap_err();
    for error in [read, list, write, delete] {
        assert_eq!(error.fault, Fault::Gone, "{error}");
    }
    assert!(!bucket.path().exists(), "it is not made again");
}

#[test]
fn q4_a_file_that_goes_away_with_its_log_is_gone_and_served_again_when_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let (mounted, away) = (folder.path().join("mounted"), folder.path().join("away"));
    let bucket = SqliteBucket::open(mounted.join("pond.db"), RELAXED).unwrap();
    create(&bucket, "a");
    fs::rename(&mounted, &away).unwrap();
    let read = block_on(bucket.read(&key("a"))).unwrap_err();
    let write = block_on(bucket.write(&key("b"), body("1"), Expect::Absent)).unwrap_err();
    for error in [read, write] {
        assert_eq!(error.fault, Fault::Gone, "{error}");
    }
    assert!(!mounted.exists(), "nothing is made in the empty place");
    fs::rename(&away, &mounted).unwrap();
    let found = block_on(bucket.read(&key("a"))).unwrap();
    assert_eq!(found.map(|object| object.body), Some(body("1")));
    create(&bucket, "b");
}

#[test]
fn q4_a_file_that_was_replaced_is_opened_anew() {
    let (_folder, bucket) = fresh();
    let (_elsewhere, other) = fresh();
    create(&other, "other");
    let from = other.path().to_owned();
    drop(other);
    // Its thread closes it, which merges the log into the file.
    let from_log = all(&from)[1].clone();
    while from_log.exists() {
        std::thread::yield_now();
    }
    for file in all(bucket.path()) {
        fs::remove_file(file).unwrap();
    }
    fs::rename(from, bucket.path()).unwrap();
    let found = block_on(bucket.read(&key("other"))).unwrap();
    assert_eq!(found.map(|object| object.body), Some(body("1")));
    create(&bucket, "b");
    let again = SqliteBucket::open(bucket.path(), RELAXED).unwrap();
    assert!(block_on(again.read(&key("b"))).unwrap().is_some());
}
