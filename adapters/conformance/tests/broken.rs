//! Buckets with one flaw each are refused by the probe that looks for it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use millpond::keys::{Key, Prefix};
use millpond::ports::{
    Bucket, BucketError, Expect, Fault, Listed, Object, Outcome, Page, Verb, Version,
};
use millpond_conformance::{Probe, Scale, Subject};
use millpond_testing::{ManualClock, MemoryBucket};
use tokio::task::yield_now;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    /// Looks, waits, writes whatever has become of it.
    CreateChecksThenWrites,
    ReplaceChecksThenWrites,
    /// As above, but notices other writes: only a delete goes unseen.
    ReplaceIgnoresDeletes,
    ReplaceOfNothingCreates,
    CreateOfTheSameBytesLands,
    VersionIsTheLength,
    DeleteOfNothingFails,
    DeleteIsShownInLists,
    BodyIsCutAt64KiB,
    EmptyBodyIsAbsent,
    CaseIsFolded,
    LastDotIsDropped,
    ComponentsEndAt255,
    /// No flaw: some stores do, and no list of the engine rests on it.
    OrdersByFolder,
    ListIsBackwards,
    ListBeginsWithAfter,
    ListIgnoresLimit,
    PrefixMeansFolder,
    FullPageIsTheLast,
    LastPageIsEmptyForEver,
    PagesGoByNumber,
    NextIsTheFirst,
    NextPassesOver,
    /// No flaw: each key has a neighbour that no list shows, so that pages are empty.
    LeavesKeysOut,
}

/// The end of a name that is not listed.
const HIDDEN: &str = ".hidden";

#[derive(Debug)]
struct Broken {
    inner: MemoryBucket,
    flaw: Flaw,
    /// For pages by number: where each page ended.
    ends: Mutex<BTreeMap<(String, Key), usize>>,
}

impl Broken {
    fn is(&self, flaw: Flaw) -> bool {
        self.flaw == flaw
    }

    fn alias(&self, key: &Key) -> Key {
        let text = key.as_str();
        let text = match self.flaw {
            Flaw::CaseIsFolded => text.to_ascii_lowercase(),
            Flaw::LastDotIsDropped => text.strip_suffix('.').unwrap_or(text).to_owned(),
            Flaw::ComponentsEndAt255 => {
                let parts = text.split('/').map(|part| &part[..part.len().min(255)]);
                parts.collect::<Vec<_>>().join("/")
            }
            _ => return key.clone(),
        };
        Key::parse(&text).unwrap_or(key.clone())
    }

    async fn put(&self, key: &Key, body: Bytes) -> Result<Outcome, BucketError> {
        let expect = match self.inner.read(key).await? {
            None => Expect::Absent,
            Some(object) => Expect::At(object.version),
        };
        self.inner.write(key, body, expect).await
    }

    fn named(&self, body: &Bytes, version: Version) -> Version {
        if self.is(Flaw::VersionIsTheLength) {
            Version::new(body.len().to_string())
        } else {
            version
        }
    }
}

#[async_trait]
impl Bucket for Broken {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        yield_now().await;
        let found = self.inner.read(&self.alias(key)).await?;
        let found = found.filter(|o| !(self.is(Flaw::EmptyBodyIsAbsent) && o.body.is_empty()));
        Ok(found.map(|object| Object {
            version: self.named(&object.body, object.version),
            body: object.body,
        }))
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        yield_now().await;
        let key = &self.alias(key);
        let found = self.inner.read(key).await?;
        let body = match self.flaw {
            Flaw::BodyIsCutAt64KiB => body.slice(..body.len().min(65_536)),
            _ => body,
        };
        let met = match (&expect, &found) {
            (Expect::Absent, None) => true,
            (Expect::At(wanted), Some(object)) => {
                *wanted == self.named(&object.body, object.version.clone())
            }
            (Expect::Absent, Some(object)) => {
                self.is(Flaw::CreateOfTheSameBytesLands) && object.body == body
            }
            (Expect::At(_), None) => self.is(Flaw::ReplaceOfNothingCreates),
        };
        if !met {
            return Ok(Outcome::Refused);
        }
        let waits = match expect {
            Expect::Absent => self.is(Flaw::CreateChecksThenWrites),
            Expect::At(_) => self.is(Flaw::ReplaceChecksThenWrites),
        };
        if waits {
            yield_now().await;
        }
        if self.is(Flaw::ReplaceIgnoresDeletes) && expect != Expect::Absent {
            yield_now().await;
            let now = self.inner.read(key).await?;
            if now.is_some_and(|now| Some(now.version) != found.map(|object| object.version)) {
                return Ok(Outcome::Refused);
            }
        }
        if self.is(Flaw::LeavesKeysOut)
            && let Ok(hidden) = Key::parse(&format!("{key}{HIDDEN}"))
        {
            self.put(&hidden, Bytes::new()).await.map(drop)?;
        }
        match self.put(key, body.clone()).await? {
            Outcome::Landed(version) => Ok(Outcome::Landed(self.named(&body, version))),
            other => Ok(other),
        }
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        yield_now().await;
        let key = &self.alias(key);
        if self.is(Flaw::DeleteOfNothingFails) && self.inner.read(key).await?.is_none() {
            return Err(BucketError::new(Fault::Unavailable, Verb::Delete, key));
        }
        if self.is(Flaw::DeleteIsShownInLists) && key.as_str().contains("/delete/") {
            self.put(key, Bytes::new()).await.map(drop)?;
        }
        self.inner.delete(key).await
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        yield_now().await;
        if self.is(Flaw::LeavesKeysOut) {
            let mut page = self.inner.list(prefix, after, limit).await?;
            page.entries
                .retain(|row| !row.key.as_str().ends_with(HIDDEN));
            return Ok(page);
        }
        let mut all = self.inner.list(prefix, None, usize::MAX).await?.entries;
        let is_after = |entry: &Listed| after.is_none_or(|after| entry.key > *after);
        let mut start = all.iter().filter(|entry| !is_after(entry)).count();
        match self.flaw {
            Flaw::OrdersByFolder => {
                let by_parts = |a: &Key, b: &Key| a.as_str().split('/').cmp(b.as_str().split('/'));
                all.sort_by(|a, b| by_parts(&a.key, &b.key));
                let is_after =
                    |entry: &Listed| after.is_none_or(|after| by_parts(&entry.key, after).is_gt());
                start = all.iter().filter(|entry| !is_after(entry)).count();
            }
            Flaw::ListIsBackwards => all.reverse(),
            Flaw::ListBeginsWithAfter => {
                start = start.saturating_sub(usize::from(
                    after.is_some_and(|after| all.iter().any(|entry| entry.key == *after)),
                ));
            }
            Flaw::PrefixMeansFolder => {
                let folder = prefix.as_str().trim_end_matches('/');
                let inside = |key: &Key| {
                    let rest = key.as_str().strip_prefix(folder);
                    rest.is_some_and(|rest| folder.is_empty() || rest.starts_with('/'))
                };
                all.retain(|entry| inside(&entry.key));
                start = start.min(all.len());
            }
            Flaw::PagesGoByNumber => {
                let ends = self.ends.lock().expect("nothing panics under it");
                if let Some(end) = after.and_then(|at| ends.get(&(prefix.to_string(), at.clone())))
                {
                    start = (*end).min(all.len());
                }
            }
            _ => {}
        }
        let limit = if self.is(Flaw::ListIgnoresLimit) {
            usize::MAX
        } else {
            limit
        };
        let end = start.saturating_add(limit).min(all.len());
        let mut more = end < all.len();
        if self.is(Flaw::FullPageIsTheLast) && limit > 100 {
            more = false;
        }
        if self.is(Flaw::LastPageIsEmptyForEver) {
            more = after.is_some() || !all.is_empty();
        }
        let behind = all.get(end).map(|row| row.key.clone());
        let mut entries = all.drain(start..end).collect::<Vec<_>>();
        if let Some(last) = entries.last() {
            let mut ends = self.ends.lock().expect("nothing panics under it");
            ends.insert((prefix.to_string(), last.key.clone()), end);
        }
        if self.is(Flaw::DeleteIsShownInLists) && prefix.as_str().contains("/delete/") {
            let ghost = Key::parse("probe/delete/one").expect("a good key");
            if self.inner.read(&ghost).await?.is_none() {
                entries.insert(
                    0,
                    Listed {
                        key: ghost,
                        modified: Timestamp::UNIX_EPOCH,
                        size: 0,
                    },
                );
            }
        }
        let first = entries.first().map(|row| row.key.clone());
        let mut page = Page::new(entries, more);
        if more && page.entries.is_empty() {
            page.next = after.cloned();
        }
        if more && self.is(Flaw::NextIsTheFirst) {
            page.next = first;
        }
        if more && self.is(Flaw::NextPassesOver) {
            page.next = behind;
        }
        Ok(page)
    }
}

/// Runs the suite over a bucket with this flaw: the probe that refuses it, and its report.
async fn refusal(flaw: Flaw) -> Option<(Probe, String)> {
    let clock = Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH));
    let bucket = Arc::new(Broken {
        inner: MemoryBucket::new(clock),
        flaw,
        ends: Mutex::default(),
    });
    let small = Scale {
        keys: 300,
        racers: 12,
        rounds: 4,
        large: 100_000,
        wide: 8,
    };
    let ended = Subject::new(bucket, "probe").scaled(small).run().await;
    ended.err().map(|v| (v.probe, v.finding.to_string()))
}

#[tokio::test]
async fn the_bucket_without_a_flaw_passes() {
    assert_eq!(refusal(Flaw::None).await, None);
}

#[tokio::test]
async fn a_bucket_that_orders_by_folder_passes() {
    assert_eq!(refusal(Flaw::OrdersByFolder).await, None);
}

#[tokio::test]
async fn a_bucket_that_leaves_keys_out_passes_with_empty_pages() {
    assert_eq!(refusal(Flaw::LeavesKeysOut).await, None);
}

#[tokio::test]
async fn each_flaw_is_found_by_the_probe_that_looks_for_it() {
    let expected = [
        (Flaw::CreateChecksThenWrites, Probe::CreateRace),
        (Flaw::ReplaceChecksThenWrites, Probe::ReplaceRace),
        (Flaw::ReplaceIgnoresDeletes, Probe::DeleteRace),
        (Flaw::ReplaceOfNothingCreates, Probe::Replace),
        (Flaw::CreateOfTheSameBytesLands, Probe::Create),
        (Flaw::VersionIsTheLength, Probe::Replace),
        (Flaw::DeleteOfNothingFails, Probe::Delete),
        (Flaw::DeleteIsShownInLists, Probe::Delete),
        (Flaw::BodyIsCutAt64KiB, Probe::Bytes),
        (Flaw::EmptyBodyIsAbsent, Probe::Bytes),
        (Flaw::CaseIsFolded, Probe::Names),
        (Flaw::LastDotIsDropped, Probe::Names),
        (Flaw::ComponentsEndAt255, Probe::Lengths),
        (Flaw::ListIsBackwards, Probe::Order),
        (Flaw::ListBeginsWithAfter, Probe::Order),
        (Flaw::ListIgnoresLimit, Probe::Order),
        (Flaw::PrefixMeansFolder, Probe::Order),
        (Flaw::FullPageIsTheLast, Probe::Pages),
        (Flaw::LastPageIsEmptyForEver, Probe::Create),
        (Flaw::PagesGoByNumber, Probe::Churn),
        (Flaw::NextIsTheFirst, Probe::Order),
        (Flaw::NextPassesOver, Probe::Order),
    ];
    for (flaw, probe) in expected {
        let found = refusal(flaw).await;
        let (by, finding) = found.unwrap_or_else(|| panic!("{flaw:?} passed"));
        assert_eq!(by, probe, "{flaw:?}: {finding}");
    }
}
