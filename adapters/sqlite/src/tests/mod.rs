//! The file itself: opening, groups, and its replacement under an open bucket.

mod damage;
mod groups;
mod open;
mod place;

use bytes::Bytes;
use millpond::keys::Key;
use tempfile::TempDir;

use crate::{Durability, Options, SqliteBucket};

const RELAXED: Options = Options {
    durability: Durability::Relaxed,
    create: true,
    check: false,
};

fn fresh() -> (TempDir, SqliteBucket) {
    let folder = tempfile::tempdir().expect("the system has a temporary folder");
    let bucket = SqliteBucket::open(folder.path().join("pond.db"), RELAXED);
    (folder, bucket.expect("the file opens"))
}

fn key(text: &str) -> Key {
    Key::parse(text).expect("tests use good keys")
}

fn body(text: &'static str) -> Bytes {
    Bytes::from_static(text.as_bytes())
}
