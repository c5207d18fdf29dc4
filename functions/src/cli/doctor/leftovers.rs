//! Objects of other runs of `doctor`: of one that is still running, or was interrupted.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use millpond::client::chain;
use millpond::keys::{InvalidKey, Key, Prefix};
use millpond::ports::{Bucket, BucketError};
use millpond_conformance::Probe;

/// Where every run of `doctor` has a folder of its own, named by a nonce.
pub(super) const FOLDER: &str = "doctor/";
/// What a run writes beside the folders of the probes.
const CHECKS: [&str; 3] = ["permissions", "latency", "clock"];
/// No run takes longer: older objects are leftovers.
const LONGEST: SignedDuration = SignedDuration::from_hours(1);
const PAGE: usize = 1_000;
/// Maximum number of lists: an unrelated folder of that name may be large.
const PAGES: usize = 10;

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Bucket(#[from] BucketError),
    #[error(transparent)]
    Key(#[from] InvalidKey),
}

/// A note for each folder of another run. Nothing is deleted: the folder may belong to another
/// application, or the run may be in progress. 1 list per 1,000 objects, at most 10.
pub(super) async fn leftovers(bucket: &dyn Bucket, now: Timestamp) -> Vec<String> {
    let note = |(folder, (objects, last)): (String, (u64, Timestamp))| {
        let age = now.duration_since(last);
        let (objects_of, advice) = match age < LONGEST {
            true => ("another", "that run may be in progress"),
            false => ("an interrupted", "delete them"),
        };
        let age = age.as_mins();
        format!(
            "there are objects of {objects_of} run of doctor; {advice}: folder={FOLDER}{folder}/, \
             objects={objects}, age_minutes={age}"
        )
    };
    match folders(bucket).await {
        Ok(folders) => folders.into_iter().map(note).collect(),
        // This is not one of the checks, which find what is wrong with the store.
        Err(error) => vec![format!("cannot list {FOLDER}: {}", chain(&error))],
    }
}

/// Each folder with the number of its objects, and the time of the last write.
async fn folders(bucket: &dyn Bucket) -> Result<BTreeMap<String, (u64, Timestamp)>, Error> {
    let (prefix, mut folders, mut after) = (Prefix::parse(FOLDER)?, BTreeMap::new(), None);
    for _ in 0..PAGES {
        let page = bucket.list(&prefix, after.as_ref(), PAGE).await?;
        for row in &page.entries {
            if let Some(folder) = folder(&row.key) {
                let (objects, last) = folders
                    .entry(folder.to_owned())
                    .or_insert((0, row.modified));
                *objects += 1;
                *last = row.modified.max(*last);
            }
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    Ok(folders)
}

/// The folder of the run that wrote an object.
fn folder(key: &Key) -> Option<&str> {
    let (name, object) = key.as_str().strip_prefix(FOLDER)?.split_once('/')?;
    let hex = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    let kind = object.split('/').next()?;
    let ours = CHECKS.contains(&kind) || Probe::ALL.iter().any(|probe| probe.as_str() == kind);
    (ours && name.len() == 16 && name.chars().all(hex)).then_some(name)
}
