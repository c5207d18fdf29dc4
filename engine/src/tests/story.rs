//! The story of each execution, from every write that ever landed.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::domain::{Began, Body, Commit, Entry, ExecutionId, FrameId, MessageId};
use crate::feed::FeedRecord;
use crate::journal::{self, Head};
use crate::keys::{FeedKey, Key, MailKey, TimerKey};
use crate::run::check_load;
use crate::testing::MemoryBucket;

/// One execution's life.
#[derive(Default)]
pub(super) struct Story {
    /// Every head that landed, in order, with its size and its place among all writes.
    pub(super) heads: Vec<(Head, usize, usize)>,
    /// Commit `n` is at `n - 1`.
    pub(super) commits: Vec<Commit>,
    /// Feed objects, with their place among all writes.
    pub(super) reported: Vec<(FeedRecord, usize)>,
}

/// Everything that was ever written.
#[derive(Default)]
pub(super) struct Stories {
    pub(super) all: BTreeMap<ExecutionId, Story>,
    /// Where among all writes each mail was first created.
    pub(super) mails: BTreeMap<(ExecutionId, MessageId), usize>,
}

#[derive(Deserialize)]
struct Segment {
    eid: ExecutionId,
    commits: Vec<Commit>,
}

impl Stories {
    /// Reads the record of a bucket. Fails where what holds at every moment (I2, I6) did not.
    pub(super) fn read(memory: &MemoryBucket) -> Self {
        let mut stories = Self::default();
        for (at, (key, body)) in memory.recorded().into_iter().enumerate() {
            stories.add(at, &key, &body);
        }
        stories
    }

    fn add(&mut self, at: usize, key: &Key, body: &[u8]) {
        if let Some(timer) = TimerKey::parse(key) {
            // A5: the one commit that a key names set it, and did so before the object was.
            let story = self.all.entry(timer.eid).or_default();
            let set = story
                .heads
                .iter()
                .find(|(head, ..)| head.commit == timer.commit);
            let set = set.and_then(|(head, ..)| head.timer.as_ref());
            assert_eq!(set, Some(key), "A5: a timer that its commit did not set");
        } else if let Some(mail) = MailKey::parse(key) {
            self.mails.entry((mail.eid, mail.mid)).or_insert(at);
        } else if FeedKey::parse(key).is_some() {
            let reported: FeedRecord = serde_json::from_slice(body).unwrap();
            let story = self.all.entry(reported.eid).or_default();
            story.reported.push((reported, at));
        } else if let Some(rest) = key.as_str().strip_prefix("x/") {
            let mut parts = rest.split('/').skip(1);
            let eid = ExecutionId::parse(parts.next().unwrap()).unwrap();
            let story = self.all.entry(eid).or_default();
            match parts.next() {
                Some("head") => story.head(Head::decode(key, &eid, body).unwrap(), body.len(), at),
                Some("log") => {
                    let segment: Segment = serde_json::from_slice(body).unwrap();
                    assert_eq!(segment.eid, eid);
                    story.sealed(&segment.commits);
                }
                _ => {}
            }
        }
    }
}

impl Story {
    /// I2: one dense chain, in which nothing that was committed changes.
    fn head(&mut self, head: Head, bytes: usize, at: usize) {
        let Some((before, ..)) = self.heads.last() else {
            assert_eq!(head.commit, 0, "a life begins with commit 0");
            self.heads.push((head, bytes, at));
            return;
        };
        assert_eq!(head.commit, before.commit + 1, "I2: a gap or a fork");
        assert!(head.at >= before.at, "instants decrease");
        assert!(head.epoch >= before.epoch, "epochs decrease");
        assert_eq!(head.record, before.record, "the record changed");
        let ended = before.status.is_terminal();
        let tail: Vec<Commit> = head.tail.iter().map(|raw| raw.decode().unwrap()).collect();
        let (newest, older) = tail.split_last().expect("a commit is in the tail");
        assert_eq!(newest.commit, head.commit);
        let retried = newest
            .entries
            .iter()
            .any(|entry| matches!(entry, Entry::Retried(_) | Entry::Refused { .. }));
        assert!(!ended || retried, "I7: only a retry follows an end");
        self.sealed(older);
        let first = older.first().map_or(newest.commit, |commit| commit.commit);
        let sealed = head.sealed.last().map_or(0, |segment| segment.end);
        let begin = older.first().map_or(newest.first, |commit| commit.first);
        let put_aside = begin > sealed && begin <= head.part.first;
        assert!(
            sealed == begin || put_aside,
            "tail and segments leave a gap"
        );
        assert!(first >= 1);
        let entries: u64 = self.commits.iter().map(|c| c.entries.len() as u64).sum();
        assert_eq!(newest.first, entries, "entries leave a gap");
        assert_eq!(head.entries, entries + newest.entries.len() as u64);
        self.commits.push(newest.clone());
        check_load(&head, self.listed(&head), &self.commits).unwrap();
        self.heads.push((head, bytes, at));
    }

    /// The commits in the tail and in the segments of this head, which is the newest.
    fn listed(&self, head: &Head) -> Vec<Commit> {
        let tail = head.tail.first().map_or(head.entries, |raw| raw.first);
        let holds = |commit: &&Commit| {
            let mut sealed = head.sealed.iter();
            let segment = sealed.any(|s| (s.first..s.end).contains(&commit.first));
            commit.first >= tail || segment
        };
        self.commits.iter().filter(holds).cloned().collect()
    }

    fn sealed(&self, commits: &[Commit]) {
        for commit in commits {
            let at = usize::try_from(commit.commit - 1).unwrap();
            // A loser's segment may hold a commit that never was: no head names it.
            if let Some(known) = self.commits.get(at) {
                assert_eq!(known, commit, "I2: a committed entry changed");
            }
        }
    }

    pub(super) fn last(&self) -> &Head {
        &self.heads.last().expect("it has a head").0
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.commits.iter().flat_map(|commit| &commit.entries)
    }

    /// Attempts that began by the journal, by step.
    pub(super) fn attempts(&self) -> BTreeMap<FrameId, Vec<u32>> {
        let mut began: BTreeMap<FrameId, Vec<u32>> = BTreeMap::new();
        for entry in self.entries() {
            if let Entry::FrameStarted {
                fid,
                began: Began::Step { attempt, .. },
            } = entry
            {
                began.entry(fid.clone()).or_default().push(*attempt);
            }
        }
        began
    }

    /// What every journal keeps: mids once (I3), outcomes once (I1), attempts counted, results
    /// once (I5), one end.
    pub(super) fn check(&self) {
        let (mut mids, mut outcomes, mut results) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut ends = 0;
        let absorbed = self.entries().filter_map(|entry| match entry {
            Entry::Received { mid, .. } => Some(mid),
            _ => None,
        });
        for mid in absorbed {
            assert!(mids.insert(mid.clone()), "I3: absorbed twice: {mid}");
        }
        // Of what a retry has made void, only facts count.
        for line in journal::lines(&self.commits) {
            let entry = line.entry;
            let absorbed = matches!(entry, Entry::Received { .. } | Entry::Refused { .. });
            assert!(
                ends == 0 || absorbed,
                "I7: entries behind the end: {entry:?}"
            );
            match entry {
                Entry::Received {
                    body: Body::Child { fid, .. },
                    ..
                } => {
                    assert!(results.insert(fid.clone()), "I5: two results for {fid}");
                }
                Entry::FrameCompleted { fid, .. } | Entry::FrameFailed { fid, .. } => {
                    assert!(outcomes.insert(fid.clone()), "I1: two outcomes of {fid}");
                }
                Entry::FrameStarted { fid, .. } => {
                    assert!(!outcomes.contains(fid), "I1: {fid} began after its outcome");
                }
                Entry::Completed { .. } | Entry::Failed { .. } | Entry::Cancelled { .. } => {
                    ends += 1;
                }
                _ => {}
            }
        }
        for (fid, began) in self.attempts() {
            let dense: Vec<u32> = (1..).take(began.len()).collect();
            assert_eq!(began, dense, "attempts of {fid}");
        }
    }

    /// The largest head there ever was, and the longest outbox.
    pub(super) fn most(&self) -> (usize, usize) {
        let bytes = self.heads.iter().map(|(_, bytes, _)| *bytes).max();
        let outbox = self.heads.iter().map(|(head, ..)| head.outbox.len()).max();
        (bytes.unwrap_or(0), outbox.unwrap_or(0))
    }
}
