//! The earlier parts of a journal, and the ids of the mail that they absorbed.
//!
//! `execution.continued` names the segments that the head lists no more (`earlier`), and the ids of
//! the mail in them (`seen`), as far back as an instant. So an id is known without a read if it is
//! in `seen`, in a segment that the head lists, or in the tail.
//!
//! - **\[R\] A28** A message that is in none of these is new if its instant is not before that of
//!   `seen`. Otherwise the earlier parts are searched for it, back to one day before its instant.
//!   All copies of a message have the same instant, so this is exact at any age. Bad interleaving: a
//!   sender's request is delivered twice, the second time after days; the execution has continued
//!   since, and receives the message again.
//! - **\[R\]** Ids without an instant (of results, and of messages under a key) are kept for a day,
//!   and for as long as their mail may be in the mailbox. Bad interleaving: a run absorbs a result,
//!   continues, and dies after its final commit; the next run takes the result for new, so nothing
//!   shows that the outbox is undispatched, and its commit drops it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::Sealed;
use super::part::History;
use super::segment;
use crate::domain::{Commit, Entry, ExecutionId, MessageId, Range, Segment};
use crate::keys::{self, Key};
use crate::ports::Ports;
use crate::settings::Settings;
use crate::stored::{self, LoadError};

/// How far the clock of a sender may be ahead of that of the worker that absorbed its message, and
/// how long ids without an instant are kept.
const DAY: Duration = Duration::from_secs(86_400);

/// The value `seen` of `execution.continued`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    /// All mail that was absorbed and has an instant from here on is in `ids`.
    pub(crate) since: Timestamp,
    pub(crate) ids: Vec<MessageId>,
    /// Ids without an instant, and when they were put here.
    pub(crate) keys: Vec<(MessageId, Timestamp)>,
}

impl Seen {
    /// The value of a continuation at `now`, after this one. `recent` are the ids in the tail and in
    /// the segments that the head lists, `there` those of mail that may be in the mailbox.
    pub(crate) fn next(
        before: Option<&Self>,
        recent: &BTreeSet<MessageId>,
        there: &BTreeSet<MessageId>,
        now: Timestamp,
        settings: &Settings,
    ) -> Self {
        let old = before.map(|seen| &seen.ids).into_iter().flatten();
        let dated = |mid: &MessageId| mid.instant().map(|at| (at, mid.clone()));
        let ids: BTreeSet<_> = old.chain(recent).filter_map(dated).collect();
        let mut since = back(now, settings.seen);
        since = since.max(before.map_or(Timestamp::MIN, |seen| seen.since));
        // All ids from `since` on are kept, or `since` would promise too much.
        if let Some((at, _)) = ids.iter().rev().nth(settings.max_seen) {
            since = since.max(after(*at, Duration::from_micros(1)));
        }
        let ids = ids.into_iter().filter(|(at, _)| *at >= since);
        let known = before.map(|seen| &seen.keys).into_iter().flatten();
        let mut keys: BTreeMap<MessageId, Timestamp> = known.cloned().collect();
        for mid in recent.iter().filter(|mid| mid.instant().is_none()) {
            keys.entry(mid.clone()).or_insert(now);
        }
        let mut keys: Vec<_> = keys.into_iter().collect();
        keys.sort_by_key(|(_, at)| std::cmp::Reverse(*at));
        let mut left = settings.max_seen;
        keys.retain(|(mid, at)| {
            let kept = there.contains(mid) || left > 0 && *at >= back(now, DAY);
            left = left.saturating_sub(1);
            kept
        });
        Self {
            since,
            ids: ids.map(|(_, mid)| mid).collect(),
            keys,
        }
    }

    pub(crate) fn mids(&self) -> impl Iterator<Item = &MessageId> {
        self.ids.iter().chain(self.keys.iter().map(|(mid, _)| mid))
    }
}

/// The path to the earlier parts of a journal.
#[derive(Debug, Clone, Default)]
pub(crate) struct Earlier {
    /// Segments that were not read, by their first entries.
    segments: BTreeMap<u64, Sealed>,
    /// All mail with an instant from here on is known.
    since: Option<Timestamp>,
}

impl Earlier {
    /// Collects the segments that these commits of `eid` name.
    ///
    /// # Errors
    /// [`LoadError::Corrupt`]: it names another object than a segment of this execution.
    pub(crate) fn of(eid: &ExecutionId, commits: &[Commit]) -> Result<Self, LoadError> {
        let mut earlier = Self::default();
        earlier.add(eid, commits)?;
        Ok(earlier)
    }

    fn add(&mut self, eid: &ExecutionId, commits: &[Commit]) -> Result<(), LoadError> {
        let log = keys::log(eid);
        for entry in commits.iter().flat_map(|commit| &commit.entries) {
            let Entry::Continued { earlier, .. } = entry else {
                continue;
            };
            for named in earlier {
                let key = Key::parse(&named.key).ok().filter(|key| key.is_under(&log));
                let key = key.ok_or_else(|| {
                    let why = format!("it names as an earlier segment {}", named.key);
                    LoadError::corrupt(&keys::head(eid), why)
                })?;
                let sealed = Sealed {
                    key,
                    first: named.first,
                    end: named.end,
                    bytes: named.bytes,
                };
                self.segments.insert(named.first, sealed);
            }
        }
        Ok(())
    }

    /// Reads `seen` of the newest part: up to which instant ids are known. 1 G if it is large.
    ///
    /// # Errors
    /// The store failed, or the value cannot be read.
    pub(crate) async fn seen(
        &mut self,
        ports: &Ports,
        eid: &ExecutionId,
        part: &History,
    ) -> Result<Option<Seen>, LoadError> {
        let Some(Entry::Continued {
            seen: Some(payload),
            ..
        }) = part.entries().next()
        else {
            return Ok(None);
        };
        let json = stored::resolve(ports, eid, payload).await?;
        let seen: Seen = json.get().map_err(|error| {
            let why = format!("the ids that it has seen: {error}");
            LoadError::corrupt(&keys::head(eid), why)
        })?;
        self.since = Some(seen.since);
        Ok(Some(seen))
    }

    /// Searches for these ids, and returns all ids on the way. 1 G for each segment, once.
    ///
    /// # Errors
    /// The store failed, or a segment cannot be read.
    pub(crate) async fn find(
        &mut self,
        ports: &Ports,
        eid: &ExecutionId,
        mids: impl IntoIterator<Item = &MessageId>,
    ) -> Result<Vec<MessageId>, LoadError> {
        let mut found = Vec::new();
        let instants = mids.into_iter().filter_map(MessageId::instant);
        let (Some(since), Some(oldest)) = (self.since, instants.min()) else {
            return Ok(found);
        };
        if oldest >= since {
            return Ok(found);
        }
        let from = back(oldest, DAY);
        while let Some(commits) = self.next(ports, eid).await? {
            let entries = commits.iter().flat_map(|commit| &commit.entries);
            found.extend(entries.filter_map(|entry| match entry {
                Entry::Received { mid, .. } => Some(mid.clone()),
                _ => None,
            }));
            if commits.first().is_some_and(|commit| commit.at < from) {
                break;
            }
        }
        self.since = Some(oldest);
        Ok(found)
    }

    /// Reads the newest segment that was not read. 1 G.
    ///
    /// # Errors
    /// The store failed, or it cannot be read. It is then read again next time.
    pub(crate) async fn next(
        &mut self,
        ports: &Ports,
        eid: &ExecutionId,
    ) -> Result<Option<Vec<Commit>>, LoadError> {
        let Some((first, sealed)) = self.segments.last_key_value() else {
            return Ok(None);
        };
        let (first, sealed) = (*first, sealed.clone());
        let commits = segment::commits(ports, eid, &sealed).await?;
        self.segments.remove(&first);
        self.add(eid, &commits)?;
        Ok(Some(commits))
    }
}

/// Returns the segments that a continuation takes out of the head: those without an entry in
/// `unread`.
pub(crate) fn retired(sealed: &[Sealed], unread: &[Range]) -> Vec<Segment> {
    let holds = |sealed: &&Sealed| {
        let mut ranges = unread.iter();
        ranges.any(|range| range.0 < sealed.end && sealed.first < range.1)
    };
    let retired = sealed.iter().filter(|sealed| !holds(sealed));
    let named = retired.map(|sealed| Segment {
        key: sealed.key.to_string(),
        first: sealed.first,
        end: sealed.end,
        bytes: sealed.bytes,
    });
    named.collect()
}

fn back(at: Timestamp, by: Duration) -> Timestamp {
    let by = SignedDuration::try_from(by).ok();
    by.and_then(|by| at.checked_sub(by).ok())
        .unwrap_or(Timestamp::MIN)
}

fn after(at: Timestamp, by: Duration) -> Timestamp {
    let by = SignedDuration::try_from(by).ok();
    by.and_then(|by| at.checked_add(by).ok())
        .unwrap_or(Timestamp::MAX)
}
