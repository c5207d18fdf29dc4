//! Opening and creating files.

use std::fs;

use rusqlite::Connection;

use super::{RELAXED, fresh};
use crate::{OpenError, Options, SqliteBucket};

#[test]
fn a_bucket_is_made_on_first_use_with_the_folders_above_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("not/there/yet.db");
    let bucket = SqliteBucket::open(&path, RELAXED).unwrap();
    assert_eq!(bucket.path(), path);
    assert!(path.is_file());
}

#[test]
fn a_file_that_is_not_there_is_refused_by_who_may_not_make_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pond.db");
    let looks = Options {
        create: false,
        ..RELAXED
    };
    let error = SqliteBucket::open(&path, looks).unwrap_err();
    assert!(matches!(&error, OpenError::Missing { path: named } if *named == path));
    assert!(!path.exists());
    drop(SqliteBucket::open(&path, RELAXED).unwrap());
    SqliteBucket::open(&path, looks).unwrap();
}

#[test]
fn a_file_that_is_something_else_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("report.txt");
    fs::write(
        &text,
        "mine, and longer than the header of a database".repeat(20),
    )
    .unwrap();
    let before = fs::read(&text).unwrap();
    let error = SqliteBucket::open(&text, RELAXED).unwrap_err();
    assert!(matches!(error, OpenError::Foreign { .. }), "{error}");
    assert_eq!(fs::read(&text).unwrap(), before);

    let error = SqliteBucket::open(folder.path(), RELAXED).unwrap_err();
    assert!(
        matches!(error, OpenError::Foreign { .. }),
        "a folder: {error}"
    );

    let other = folder.path().join("other.db");
    let made = Connection::open(&other).unwrap();
    made.execute_batch("CREATE TABLE mine (a)").unwrap();
    drop(made);
    let error = SqliteBucket::open(&other, RELAXED).unwrap_err();
    assert!(matches!(error, OpenError::Foreign { .. }), "{error}");
}

#[test]
fn a_newer_format_is_refused_by_its_number() {
    let (_folder, bucket) = fresh();
    let path = bucket.path().to_owned();
    let hand = Connection::open(&path).unwrap();
    hand.pragma_update(None, "user_version", 2).unwrap();
    let error = SqliteBucket::open(&path, RELAXED).unwrap_err();
    assert!(
        matches!(
            error,
            OpenError::Newer {
                found: 2,
                newest: 1,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn of_many_that_open_a_fresh_file_at_once_all_open_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pond.db");
    let openers: Vec<_> = (0..8)
        .map(|_| {
            let path = path.clone();
            std::thread::spawn(move || SqliteBucket::open(path, RELAXED).map(drop))
        })
        .collect();
    for opener in openers {
        opener.join().unwrap().unwrap();
    }
}
