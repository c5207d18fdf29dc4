//! Reads the feed.

use std::collections::BTreeSet;

use futures::{StreamExt, TryStreamExt, stream};

use super::write::FeedRecord;
use crate::keys::{self, FeedKey, InvalidKey, Key};
use crate::ports::Ports;
use crate::stored::LoadError;

/// The keys of a day (or of all days) after `after`, in order of their write instants; only the
/// first of several objects with one identity. 1 P for each 1,000.
///
/// # Errors
/// The store failed; `day` is not `YYYYMMDD`.
pub(crate) async fn events(
    ports: &Ports,
    day: Option<&str>,
    after: Option<&Key>,
) -> Result<Vec<(Key, FeedKey)>, LoadError> {
    let prefix = keys::feed_day(day).map_err(|InvalidKey { key, why }| LoadError::Corrupt {
        key: Key::parse("feed").expect("a plain word is a key"),
        why: format!("{why}: {key}"),
    })?;
    let (mut found, mut seen, mut after) = (Vec::new(), BTreeSet::new(), after.cloned());
    loop {
        let page = ports.page(&prefix, after.as_ref(), 1_000).await?;
        after = page.next;
        for row in page.entries {
            if let Some(parsed) = FeedKey::parse(&row.key)
                && seen.insert((parsed.eid, parsed.commit))
            {
                found.push((row.key, parsed));
            }
        }
        if after.is_none() {
            return Ok(found);
        }
    }
}

/// Reads feed objects concurrently and returns them in order. A missing or unreadable object is
/// left out and logged. 1 G each.
///
/// # Errors
/// The store failed.
pub(crate) async fn read(
    ports: &Ports,
    keys: &[Key],
    concurrency: usize,
) -> Result<Vec<FeedRecord>, LoadError> {
    let reads: Vec<_> = keys
        .iter()
        .map(|key| async move {
            let Some(found) = ports.read(key).await? else {
                return Ok::<_, LoadError>(None);
            };
            let record: Option<FeedRecord> = serde_json::from_slice(&found.body)
                .inspect_err(|error| tracing::warn!(%key, %error, "not a feed object"))
                .ok();
            let own = |record: &FeedRecord| {
                FeedKey::parse(key)
                    .is_some_and(|k| (k.eid, k.commit) == (record.eid, record.commit))
            };
            Ok(record.filter(own))
        })
        .collect();
    let found: Vec<Option<FeedRecord>> = stream::iter(reads)
        .buffered(concurrency.max(1))
        .try_collect()
        .await?;
    Ok(found.into_iter().flatten().collect())
}
