//! The history of each execution in the bucket, from every write that ever landed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Deserialize;

use super::chronicle::{Landed, Written};
use super::oracle::{Broken, must};
use crate::domain::{Began, Body, Commit, Entry, ExecutionId, FrameId, Mail, MessageId};
use crate::feed::FeedRecord;
use crate::journal::Head;
use crate::keys::{FeedKey, Key, MailKey, TimerKey};
use crate::run::check_load;

/// The history of one execution.
#[derive(Default)]
pub(super) struct Story {
    /// Every head that landed, in order.
    pub(super) heads: Vec<Seen>,
    /// Commit `n` is at index `n - 1`.
    pub(super) commits: Vec<Commit>,
    /// Feed objects, with their index among all writes.
    pub(super) reported: Vec<(FeedRecord, usize)>,
}

pub(super) struct Seen {
    pub(super) head: Head,
    pub(super) bytes: usize,
    /// Its index among all writes.
    pub(super) place: usize,
    /// In true time.
    pub(super) at: Duration,
}

/// The history of all executions.
#[derive(Default)]
pub(super) struct Stories {
    pub(super) all: BTreeMap<ExecutionId, Story>,
    /// The index among all writes at which each message was first created, and its content.
    pub(super) mails: BTreeMap<(ExecutionId, MessageId), (usize, Mail)>,
    /// The index among all writes at which each timer was first created.
    pub(super) timers: BTreeMap<Key, usize>,
}

#[derive(Deserialize)]
struct Segment {
    eid: ExecutionId,
}

impl Stories {
    /// Reads all writes, and checks the invariants that hold at every moment: I2, I7, A5.
    pub(super) fn read(written: &Written) -> Result<Self, Broken> {
        let mut stories = Self::default();
        for (place, landed) in written.landed.iter().enumerate() {
            stories.add(place, landed)?;
        }
        Ok(stories)
    }

    /// Executions that have not ended.
    pub(super) fn open(&self) -> impl Iterator<Item = ExecutionId> {
        let open = self.all.iter();
        open.filter(|(_, story)| !story.last().status.is_terminal())
            .map(|(eid, _)| *eid)
    }

    fn add(&mut self, place: usize, landed: &Landed) -> Result<(), Broken> {
        let Landed { key, body, at } = landed;
        let unreadable =
            |error: &dyn std::fmt::Display| Broken::new("I2", format!("{key}: {error}"));
        if let Some(timer) = TimerKey::parse(key) {
            let story = self.all.entry(timer.eid).or_default();
            let mut heads = story.heads.iter();
            let set = heads.find(|seen| seen.head.commit == timer.commit);
            let set = set.and_then(|seen| seen.head.timer.as_ref());
            must("I6", set == Some(key), || {
                format!("a timer that its commit did not set: {key}")
            })?;
            self.timers.entry(key.clone()).or_insert(place);
        } else if let Some(mail) = MailKey::parse(key) {
            let body = serde_json::from_slice(body).map_err(|error| unreadable(&error))?;
            self.mails
                .entry((mail.eid, mail.mid))
                .or_insert((place, body));
        } else if FeedKey::parse(key).is_some() {
            let record: FeedRecord =
                serde_json::from_slice(body).map_err(|error| unreadable(&error))?;
            let story = self.all.entry(record.eid).or_default();
            story.reported.push((record, place));
        } else if let Some(rest) = key.as_str().strip_prefix("x/") {
            let mut parts = rest.split('/').skip(1);
            let eid = ExecutionId::parse(parts.next().unwrap_or_default());
            let eid = eid.map_err(|error| unreadable(&error))?;
            let story = self.all.entry(eid).or_default();
            match parts.next() {
                Some("head") => {
                    let head = Head::decode(key, &eid, body).map_err(|error| unreadable(&error))?;
                    let bytes = body.len();
                    story.head(Seen {
                        head,
                        bytes,
                        place,
                        at: *at,
                    })?;
                }
                Some("log") => {
                    let segment: Segment =
                        serde_json::from_slice(body).map_err(|error| unreadable(&error))?;
                    must("I2", segment.eid == eid, || {
                        format!("another's segment: {key}")
                    })?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Story {
    /// I2: one dense chain, in which no committed part changes.
    fn head(&mut self, seen: Seen) -> Result<(), Broken> {
        let head = &seen.head;
        let eid = head.record.eid;
        let Some(before) = self.heads.last().map(|seen| &seen.head) else {
            must("I2", head.commit == 0, || {
                format!("{eid} begins with commit {}", head.commit)
            })?;
            self.heads.push(seen);
            return Ok(());
        };
        let (number, older) = (head.commit, before.commit);
        must("I2", number == older + 1, || {
            format!("{eid}: commit {number} follows {older}: a gap or a fork")
        })?;
        must("I2", head.at >= before.at, || {
            format!("{eid}: instants decrease at {number}")
        })?;
        must("I2", head.epoch >= before.epoch, || {
            format!("{eid}: epochs decrease at {number}")
        })?;
        must("I2", head.record == before.record, || {
            format!("{eid}: the record changed")
        })?;
        let ended = before.status.is_terminal();
        let tail: Result<Vec<Commit>, _> =
            head.tail.iter().map(crate::journal::Raw::decode).collect();
        let tail = tail.map_err(|error| Broken::new("I2", format!("{eid}: {error}")))?;
        let Some((newest, older)) = tail.split_last() else {
            return Err(Broken::new(
                "I2",
                format!("{eid}: commit {number} is not in its tail"),
            ));
        };
        for commit in older {
            let at = usize::try_from(commit.commit).unwrap_or(0);
            let known = at.checked_sub(1).and_then(|at| self.commits.get(at));
            must("I2", known == Some(commit), || {
                format!("{eid}: commit {at} changed by {number}")
            })?;
        }
        let sealed = head.sealed.last().map_or(0, |segment| segment.end);
        let begin = older.first().map_or(newest.first, |commit| commit.first);
        let put_aside = begin > sealed && begin <= head.part.first;
        must("I2", sealed == begin || put_aside, || {
            format!("{eid}: tail and segments leave a gap at {number}")
        })?;
        let entries: u64 = self.commits.iter().map(|c| c.entries.len() as u64).sum();
        let whole = newest.first == entries
            && newest.commit == number
            && head.entries == entries + newest.entries.len() as u64;
        must("I2", whole, || {
            format!("{eid}: entries leave a gap at {number}")
        })?;
        let follows = |entry: &Entry| matches!(entry, Entry::Retried(_) | Entry::Refused { .. });
        must("I7", !ended || newest.entries.iter().any(follows), || {
            format!("{eid}: commit {number} behind the end")
        })?;
        self.commits.push(newest.clone());
        let listed = self.listed(head);
        let loads = check_load(head, listed, &self.commits);
        loads.map_err(|why| Broken::new("I13", format!("{eid}, commit {number}: {why}")))?;
        self.heads.push(seen);
        Ok(())
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

    pub(super) fn last(&self) -> &Head {
        &self.heads.last().expect("it has a head").head
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.commits.iter().flat_map(|commit| &commit.entries)
    }

    /// Whether the execution had ended at some time after a write, and was retried since.
    pub(super) fn had_ended_since(&self, place: usize) -> bool {
        let mut next = self.heads.iter().zip(self.heads.iter().skip(1));
        next.any(|(seen, next)| seen.head.status.is_terminal() && next.place > place)
    }

    /// The head written by commit `number`.
    pub(super) fn of_commit(&self, number: u64) -> Option<&Seen> {
        let at = usize::try_from(number).ok()?;
        self.heads.get(at)
    }

    pub(super) fn mids(&self) -> BTreeSet<&MessageId> {
        let mids = self.entries().filter_map(|entry| match entry {
            Entry::Received { mid, .. } => Some(mid),
            _ => None,
        });
        mids.collect()
    }

    /// The commits in which each attempt of each step began: several if a retry made a step void, and
    /// another one has its id.
    pub(super) fn attempts(&self) -> BTreeMap<(&FrameId, u32), Vec<&Commit>> {
        let mut began = BTreeMap::<_, Vec<_>>::new();
        for commit in &self.commits {
            for entry in &commit.entries {
                if let Entry::FrameStarted {
                    fid,
                    began: Began::Step { attempt, .. },
                } = entry
                {
                    began.entry((fid, *attempt)).or_default().push(commit);
                }
            }
        }
        began
    }

    /// A27: a paused or blocked execution takes no message while so many are unread.
    pub(super) fn unread(&self, most: usize) -> Result<(), Broken> {
        let (mut unread, mut parked) = (BTreeSet::new(), false);
        for commit in &self.commits {
            let before = parked;
            for entry in &commit.entries {
                match entry {
                    Entry::Paused { .. } | Entry::Blocked(_) => parked = true,
                    Entry::Unpaused | Entry::Retried(_) => parked = false,
                    Entry::Received {
                        mid,
                        body: Body::Message { .. },
                        ..
                    } => {
                        must("A27", !(before && parked) || unread.len() < most, || {
                            format!("{mid} is one too many, in commit {}", commit.commit)
                        })?;
                        unread.insert(mid);
                    }
                    Entry::FrameFulfilled { mid: Some(mid), .. } => {
                        unread.remove(mid);
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}
