//! What other doctors left: one that runs still, or one that never came to its end.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use millpond::client::chain;
use millpond::keys::{InvalidKey, Key, Prefix};
use millpond::ports::{Bucket, BucketError};
use millpond_conformance::Probe;

/// Where every doctor has a folder of its own, named by a nonce.
pub(super) const ROOM: &str = "doctor/";
/// What lies in it beside the probes' folders.
const OTHERS: [&str; 3] = ["permissions", "latency", "clock"];
/// No exam takes longer: an older object is nobody's any more.
const LONGEST: SignedDuration = SignedDuration::from_hours(1);
const PAGE: usize = 1_000;
/// Lists at most: somebody else's folder of that name may be large.
const PAGES: usize = 10;

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Bucket(#[from] BucketError),
    #[error(transparent)]
    Key(#[from] InvalidKey),
}

/// A note for each folder of another doctor. Nothing is deleted: who shares a bucket may have such a
/// folder of his own, and another doctor be at work. 1 list for 1,000 objects, 10 at most.
pub(super) async fn left(bucket: &dyn Bucket, now: Timestamp) -> Vec<String> {
    let note = |(folder, (objects, last)): (String, (u64, Timestamp))| {
        let age = now.duration_since(last);
        let whose = match age < LONGEST {
            true => format!(
                ", the last of them {} minutes old: another doctor may be at work",
                age.as_mins()
            ),
            false => " of a doctor that did not come to its end: they may be deleted".to_owned(),
        };
        format!("{ROOM}{folder}/: {objects} objects{whose}")
    };
    match folders(bucket).await {
        Ok(folders) => folders.into_iter().map(note).collect(),
        // It is no part of the proof. What is wrong with the store is found by that.
        Err(error) => vec![format!("{ROOM} could not be looked at: {}", chain(&error))],
    }
}

/// Each with how many objects there are, and when the last one was written.
async fn folders(bucket: &dyn Bucket) -> Result<BTreeMap<String, (u64, Timestamp)>, Error> {
    let (room, mut folders, mut after) = (Prefix::parse(ROOM)?, BTreeMap::new(), None);
    for _ in 0..PAGES {
        let page = bucket.list(&room, after.as_ref(), PAGE).await?;
        for row in &page.entries {
            if let Some(folder) = folder(&row.key) {
                let (objects, last) = folders
                    .entry(folder.to_owned())
                    .or_insert((0, row.modified));
                *objects += 1;
                *last = row.modified.max(*last);
            }
        }
        after = page.entries.into_iter().next_back().map(|row| row.key);
        if !page.more || after.is_none() {
            break;
        }
    }
    Ok(folders)
}

/// The folder of a doctor that an object lies in.
fn folder(key: &Key) -> Option<&str> {
    let (name, object) = key.as_str().strip_prefix(ROOM)?.split_once('/')?;
    let hex = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    let kind = object.split('/').next()?;
    let ours = OTHERS.contains(&kind) || Probe::ALL.iter().any(|probe| probe.as_str() == kind);
    (ours && name.len() == 16 && name.chars().all(hex)).then_some(name)
}
