//! Damaged files: an object that cannot be found in one is never reported as absent.

use std::fs::{self, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use futures::executor::block_on;
use millpond::ports::{Bucket as _, Expect, Fault, Outcome};
use tempfile::TempDir;

use super::{RELAXED, body, fresh, key};
use crate::{OpenError, Options, SqliteBucket};

/// A closed file of many objects.
fn filled() -> (TempDir, PathBuf) {
    let (folder, bucket) = fresh();
    for n in 0..400 {
        let at = key(&format!("k/{n:04}"));
        let outcome = block_on(bucket.write(&at, body("a body of some length"), Expect::Absent));
        assert!(matches!(outcome, Ok(Outcome::Landed(_))));
    }
    let path = bucket.path().to_owned();
    drop(bucket);
    (folder, path)
}

/// Overwrites the bytes from `at` on.
fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

#[test]
fn a_closed_file_holds_everything_without_its_log() {
    let (_folder, path) = filled();
    let copy = path.with_file_name("copy.db");
    fs::copy(&path, &copy).unwrap();
    let bucket = SqliteBucket::open(&copy, RELAXED).unwrap();
    assert!(block_on(bucket.read(&key("k/0399"))).unwrap().is_some());
}

#[test]
fn a_file_that_was_cut_off_is_refused() {
    let (_folder, path) = filled();
    let whole = fs::read(&path).unwrap();
    for length in [whole.len() - 1, whole.len() - 4_096, 4_096 + 17, 4_096] {
        fs::write(&path, &whole[..length]).unwrap();
        let error = SqliteBucket::open(&path, RELAXED).unwrap_err();
        let known = matches!(error, OpenError::Damaged { .. } | OpenError::Foreign { .. });
        assert!(known, "{length} bytes: {error}");
        assert!(error.to_string().contains("pond.db"), "{error}");
    }
}

#[test]
fn after_a_damaged_page_was_met_nothing_is_written() {
    let (_folder, path) = filled();
    let pages = fs::metadata(&path).unwrap().len() / 4_096;
    for page in 2..pages {
        overwrite(&path, page * 4_096, &[0xff; 64]);
    }
    let bucket = SqliteBucket::open(&path, RELAXED).unwrap();
    let met = (0..400).find_map(|n| block_on(bucket.read(&key(&format!("k/{n:04}")))).err());
    assert_eq!(met.expect("a page is damaged").fault, Fault::Denied);
    let written = block_on(bucket.write(&key("new"), body("1"), Expect::Absent));
    let error = written.unwrap_err();
    assert_eq!(error.fault, Fault::Denied);
    let why = error.source.unwrap().to_string();
    assert!(why.contains("damaged") && why.contains("pond.db"), "{why}");
}

#[test]
fn a_check_finds_a_damaged_page_before_anything_is_asked() {
    let (_folder, path) = filled();
    let careful = Options {
        check: true,
        ..RELAXED
    };
    drop(SqliteBucket::open(&path, careful).unwrap());
    overwrite(&path, 2 * 4_096, &[0xff; 64]);
    let error = SqliteBucket::open(&path, careful).unwrap_err();
    assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
}

#[cfg(unix)]
#[test]
fn a_file_with_two_names_is_refused_by_both() {
    let (_folder, path) = filled();
    let other = path.with_file_name("other.db");
    fs::hard_link(&path, &other).unwrap();
    for name in [&path, &other] {
        let error = SqliteBucket::open(name, RELAXED).unwrap_err();
        assert!(matches!(error, OpenError::Linked { .. }), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn q4_a_log_that_was_removed_in_use_is_reported_and_no_process_continues_with_half_a_bucket() {
    let (_folder, bucket) = fresh();
    let create = |at| block_on(bucket.write(&key(at), body("1"), Expect::Absent));
    assert!(matches!(create("a"), Ok(Outcome::Landed(_))));
    let path = bucket.path().to_owned();
    for end in ["-wal", "-shm"] {
        let mut side = path.clone().into_os_string();
        side.push(end);
        fs::remove_file(side).unwrap();
    }
    for _ in 0..2 {
        let error = create("b").unwrap_err();
        assert_eq!(error.fault, Fault::Gone);
        let why = error.source.unwrap().to_string();
        assert!(why.contains("-wal"), "{why}");
        assert!(block_on(bucket.read(&key("a"))).is_err());
    }
}
