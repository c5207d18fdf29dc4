//! The rules of every journal, entry by entry.

use std::collections::{BTreeMap, BTreeSet};

use super::oracle::{Broken, must};
use super::story::Story;
use crate::domain::{Began, Body, Control, Entry, FrameId, MessageId, Status, kind};
use crate::journal;

impl Story {
    /// I11, I12: no attempt begins behind a pause or a terminate. While an execution is paused, each
    /// head shows it; one that is terminated ends as such.
    fn controls(&self) -> Result<(), Broken> {
        let eid = self.last().record.eid;
        let (mut parked, mut terminated, mut ended) = (None, false, false);
        for (commit, seen) in self.commits.iter().zip(self.heads.iter().skip(1)) {
            let number = commit.commit;
            for entry in &commit.entries {
                match entry {
                    Entry::Paused { .. } => parked = Some(Status::Paused),
                    Entry::Blocked(_) => parked = Some(Status::Blocked),
                    Entry::Unpaused => parked = None,
                    // What was requested of it since it failed is void.
                    Entry::Retried(_) => (parked, terminated, ended) = (None, false, false),
                    Entry::Completed { .. } | Entry::Failed { .. } | Entry::Cancelled { .. } => {
                        ended = true;
                    }
                    Entry::Received {
                        body: Body::Control(Control::Terminate { .. }),
                        ..
                    } => terminated |= !ended,
                    Entry::FrameStarted {
                        fid,
                        began: Began::Step { .. },
                    } => {
                        must("I11", parked.is_none(), || {
                            format!("{eid}: {fid} began behind a pause, in commit {number}")
                        })?;
                        must("I12", !terminated, || {
                            format!("{eid}: {fid} began behind a terminate, in commit {number}")
                        })?;
                    }
                    _ => {}
                }
            }
            let status = seen.head.status;
            let shown = status.is_terminal() || parked.is_none_or(|parked| parked == status);
            must("I11", shown, || {
                format!("{eid}: commit {number} shows {status}, and it is {parked:?}")
            })?;
        }
        let end = self.entries().filter(|entry| entry.is_end()).last();
        let ends =
            matches!(end, Some(Entry::Cancelled { failure }) if failure.kind == kind::TERMINATED);
        let shown = self.last().status;
        must(
            "I12",
            ends == (shown == Status::Terminated) || shown == Status::Archived,
            || format!("{eid} ended with {end:?}, and its head shows {shown}"),
        )?;
        must("I12", !terminated || ends, || {
            format!("{eid} was terminated, and ended with {end:?}")
        })
    }

    /// Checks the rules of every journal: mids once (I3), outcomes once (I1), attempts counted,
    /// results once (I5), one end (I7).
    pub(super) fn check(&self) -> Result<(), Broken> {
        let eid = self.last().record.eid;
        let (mut mids, mut outcomes, mut results) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let (mut ended, mut began) = (false, BTreeMap::<&FrameId, u32>::new());
        for mid in self.entries().filter_map(mid) {
            must("I3", mids.insert(mid), || {
                format!("{eid} absorbed {mid} twice")
            })?;
        }
        // Of what a retry has made void, only facts count; those of frames that it has made void, too,
        // are replaced by what begins under their ids.
        let mut stale = BTreeSet::new();
        for line in journal::lines(&self.commits) {
            let entry = line.entry;
            let absorbed = matches!(entry, Entry::Received { .. } | Entry::Refused { .. });
            must("I7", !ended || absorbed, || {
                format!("{eid}: {} behind the end", entry.kind())
            })?;
            if let Some(fid) = entry.fid() {
                let known = began.contains_key(fid) || outcomes.contains(fid);
                if line.fact && !known {
                    stale.insert(fid);
                } else if !line.fact && stale.remove(fid) {
                    outcomes.remove(fid);
                    began.remove(fid);
                }
            }
            match entry {
                Entry::Received {
                    body:
                        Body::Child {
                            fid,
                            eid: child,
                            generation,
                            ..
                        },
                    ..
                } => {
                    must("I5", results.insert((fid, child, generation)), || {
                        format!("{eid}: two results of {fid}")
                    })?;
                }
                Entry::FrameCompleted { fid, .. }
                | Entry::FrameRecorded { fid, .. }
                | Entry::FrameFailed { fid, .. } => {
                    must("I1", outcomes.insert(fid), || {
                        format!("{eid}: two outcomes of {fid}")
                    })?;
                }
                Entry::FrameStarted {
                    fid,
                    began: Began::Step { attempt, .. },
                } => {
                    must("I1", !outcomes.contains(fid), || {
                        format!("{eid}: {fid} began after its outcome")
                    })?;
                    let count = began.entry(fid).or_default();
                    *count += 1;
                    let (count, number) = (*count, *attempt);
                    must("I1", count == number, || {
                        format!("{eid}: {fid} began {count} times, this is attempt {number}")
                    })?;
                }
                Entry::Completed { .. } | Entry::Failed { .. } | Entry::Cancelled { .. } => {
                    ended = true;
                }
                _ => {}
            }
        }
        self.controls()?;
        must("I7", ended == self.last().status.is_terminal(), || {
            format!("{eid}: its status is {}", self.last().status)
        })
    }
}

fn mid(entry: &Entry) -> Option<&MessageId> {
    match entry {
        Entry::Received { mid, .. } => Some(mid),
        _ => None,
    }
}
