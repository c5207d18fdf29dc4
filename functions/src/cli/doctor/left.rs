//! What a doctor left that never came to its end: killed, or cut off from its store.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use millpond::keys::{Key, Prefix};
use millpond_conformance::Finding;

use super::exam::Patient;

/// Where every doctor has a folder of its own, named by a nonce.
pub(super) const ROOM: &str = "doctor/";
/// No exam takes longer: an older object is nobody's any more.
const LONGEST: SignedDuration = SignedDuration::from_hours(1);
const PAGE: usize = 1_000;

/// Folders that others left, each with the number of its objects. Nothing is deleted: who shares a
/// bucket may have such a folder of his own. 1 list for 1,000 objects.
///
/// # Errors
/// The bucket could not be asked.
pub(super) async fn left(patient: &Patient) -> Result<BTreeMap<String, usize>, Finding> {
    let (room, born) = (Prefix::parse(ROOM)?, patient.clock.now() - LONGEST);
    let (mut folders, mut after) = (BTreeMap::new(), None);
    loop {
        let page = patient.bucket.list(&room, after.as_ref(), PAGE).await?;
        for row in page.entries.iter().filter(|row| row.modified < born) {
            if let Some(folder) = folder(&row.key) {
                *folders.entry(folder.to_owned()).or_default() += 1;
            }
        }
        after = page.entries.into_iter().next_back().map(|row| row.key);
        if !page.more || after.is_none() {
            return Ok(folders);
        }
    }
}

/// The doctor's folder that an object lies in.
fn folder(key: &Key) -> Option<&str> {
    let (name, _) = key.as_str().strip_prefix(ROOM)?.split_once('/')?;
    let hex = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    (name.len() == 16 && name.chars().all(hex)).then_some(name)
}
