//! Tests of the folder from inside; `tests/` has the suite and the races between processes.

mod fault;
mod folder;
mod lock;
mod names;
mod open;

use std::path::{Path, PathBuf};

use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket as _, Expect, Outcome, Version};
use tempfile::TempDir;

use crate::{DiskBucket, Durability, Options};

const RELAXED: Options = Options {
    durability: Durability::Relaxed,
    create: true,
};

/// A new bucket in a folder of its own, inside one that goes with the test.
fn fresh() -> (TempDir, DiskBucket) {
    let place = tempfile::tempdir().expect("the system has a temporary folder");
    let bucket = open(&place.path().join("pond"));
    (place, bucket)
}

fn open(path: &Path) -> DiskBucket {
    DiskBucket::open(path, RELAXED).expect("the folder opens")
}

fn key(text: &str) -> Key {
    Key::parse(text).expect("tests use good keys")
}

/// Creates an object that is not there yet.
async fn create(bucket: &DiskBucket, at: &str, body: &'static str) -> Version {
    let outcome = bucket.write(&key(at), body.into(), Expect::Absent).await;
    match outcome.expect("the write is answered") {
        Outcome::Landed(version) => version,
        other => panic!("{at} did not land: {other:?}"),
    }
}

/// All keys under a prefix.
async fn keys(bucket: &DiskBucket, prefix: &str) -> Vec<String> {
    let prefix = Prefix::parse(prefix).expect("tests use good prefixes");
    let page = bucket.list(&prefix, None, 1_000).await;
    let entries = page.expect("the list is answered").entries;
    entries.iter().map(|entry| entry.key.to_string()).collect()
}

/// What is in a folder, by name, in order.
fn names_in(folder: PathBuf) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<_> = entries
        .map(|entry| {
            entry
                .expect("it is read")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}
