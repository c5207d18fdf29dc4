//! Keys that stores, or the file systems below them, may treat specially.

use bytes::Bytes;
use millpond::keys::Key;
use millpond::ports::{Expect, Fault};

use crate::finding::Finding;
use crate::subject::Subject;

/// Names that differ only by case or by a dot, or that a system reserves.
const ODD: &[&str] = &[
    "a",
    "A",
    "aa",
    "aA",
    "Aa",
    "a.",
    "a..",
    ".a",
    "..a",
    "a..b",
    "...",
    "~",
    "~1",
    "-",
    "--a",
    "_",
    "-x/-",
    "~x/~",
    ".a./.b.",
    "con",
    "CON",
    "nul.txt",
    "Aux",
    "com1",
    "COM1.log",
    "lpt9/x",
    "prn/con",
    ".millpond",
    ".millpond.",
    ".MILLPOND",
    ".git/HEAD",
    ".DS_Store",
    "0",
    "00",
    "0.0",
    "index.html",
    "meta",
    "folder/x",
    "Folder/x",
    "folder./x",
    "folder-/x",
];

pub(crate) async fn names(subject: &Subject) -> Result<(), Finding> {
    let names = ODD.iter().map(|name| format!("names/{name}")).collect();
    all_differ(subject, "names/", names).await
}

pub(crate) async fn lengths(subject: &Subject) -> Result<(), Finding> {
    let base = "lengths/";
    let room = subject.room().saturating_sub(base.len());
    let mut names = Vec::new();
    for length in [
        63, 64, 119, 120, 121, 127, 128, 240, 241, 255, 256, 511, 512, room,
    ] {
        if length <= room {
            // As files, in upper and lower case, and as folders.
            names.push(format!("{base}{}", "x".repeat(length)));
            names.push(format!("{base}{}", "X".repeat(length)));
        }
        if length + 2 <= room {
            names.push(format!("{base}{}/y", "f".repeat(length)));
            names.push(format!("{base}{}-y", "f".repeat(length)));
        }
    }
    // The longest key of the shortest components.
    let deep = "d/".repeat(room / 2);
    names.push(format!("{base}{}", deep.trim_end_matches('/')));
    all_differ(subject, base, names).await
}

/// Longer than any key of the engine. A store may refuse it with an error: some stores keep objects
/// as files, and the bucket's own prefix uses part of the 1,024 bytes.
fn is_long(key: &Key) -> bool {
    key.as_str().len() > 768 || key.as_str().split('/').any(|part| part.len() > 255)
}

/// Each name is an object of its own, and is listed under that name, in any order: the probe checks
/// only the names, and some are neighbours such as `a-b` and `a/1`.
async fn all_differ(subject: &Subject, below: &str, names: Vec<String>) -> Result<(), Finding> {
    let mut keys = Vec::new();
    for name in names {
        keys.push(subject.key(&name)?);
    }
    keys.sort();
    keys.dedup();
    let mut taken = Vec::new();
    for key in keys {
        let body = Bytes::from(key.to_string());
        match subject.lands(&key, &body, &Expect::Absent).await {
            Ok(_) => taken.push(key),
            Err(Finding::Failed(error)) if error.fault == Fault::Invalid && is_long(&key) => {}
            Err(finding) => return Err(finding),
        }
    }
    let keys = taken;
    for key in &keys {
        subject.holds(key, &Bytes::from(key.to_string())).await?;
    }
    subject.shows(below, 1_000, &keys).await?;
    subject.shows(below, 3, &keys).await?;
    for (at, key) in keys.iter().enumerate() {
        subject.bucket.delete(key).await?;
        subject.shows(below, 1_000, &keys[at + 1..]).await?;
    }
    Ok(())
}
