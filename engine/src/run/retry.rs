//! What a retry keeps of the journal: where the new generation begins, and which steps begin again.

use std::collections::{BTreeMap, BTreeSet};

use super::retried::Open;
use super::state::{OpenChild, Requested};
use crate::domain::{
    Again, Began, Body, Commit, Control, Entry, ExecutionId, Failure, FrameId, OnClose, Provenance,
    Retried, RetryRequest, Status, Wait, kind,
};
use crate::journal::{self, History, Line};
use crate::stored::LoadError;

/// A retry that applies.
pub(super) struct Decided {
    pub(super) retried: Retried,
    /// What is requested of the execution once it was retried.
    pub(super) requested: Requested,
}

/// The execution that a retry is for.
pub(super) struct Target<'a> {
    pub(super) status: Status,
    pub(super) generation: u32,
    /// See [`crate::journal::Head::newest`].
    pub(super) newest: u64,
    /// The number of requests a day that it may make.
    pub(super) budget: Option<u64>,
    pub(super) history: &'a History,
    /// Why a part of it is missing.
    pub(super) broken: Option<&'a LoadError>,
}

impl Target<'_> {
    /// Decides about a retry, which is absorbed after `before`, entries of this run.
    ///
    /// # Errors
    /// The reason for which it does not apply.
    pub(super) fn decide(
        &self,
        request: &RetryRequest,
        by: &Provenance,
        before: &Commit,
    ) -> Result<Decided, String> {
        self.check_status(request)?;
        self.check_before(before)?;
        self.check_fence(request.fence, before)?;
        let mut history = self.history.clone();
        history.commits.push(before.clone());
        let mut read = history.lines();
        let keep = match (self.status, &request.from) {
            (Status::Failed, from) => failed(&read, from.as_ref())?,
            (_, Some(from)) => before_outcome(&read, from)?,
            (_, None) => blocked(&read),
        };
        let again = again(&read, keep, request.from.as_ref());
        let _ = journal::void(&mut read, keep);
        let mut requested = Requested::default();
        for line in &read {
            requested.note(line.entry);
        }
        (requested.parked, requested.budget) = (None, self.budget);
        Ok(Decided {
            retried: Retried {
                generation: self.generation.saturating_add(1),
                keep,
                from: request.from.clone(),
                again,
                by: by.clone(),
                reason: super::state::short(&request.reason),
            },
            requested,
        })
    }

    /// Checks that the execution has failed or is blocked, or waits and is to begin from a frame.
    fn check_status(&self, request: &RetryRequest) -> Result<(), String> {
        match (self.status, &request.from) {
            (Status::Failed | Status::Blocked, _) | (Status::Suspended, Some(_)) => {}
            (Status::Suspended, None) => {
                return Err("it waits, and has not failed: name the frame to begin from".to_owned());
            }
            (status, _) => {
                return Err(format!(
                    "it is {status}: only a failed or blocked execution is retried"
                ));
            }
        }
        match self.broken {
            Some(error) => Err(format!("its journal cannot be read: {error}")),
            None => Ok(()),
        }
    }

    /// **\[R\] I11, I12** A retry does not take back what this run absorbs before it: a cancel, a terminate
    /// or a pause stays in force. An execution that has failed takes none of them.
    fn check_before(&self, before: &Commit) -> Result<(), String> {
        let stops = |entry: &Entry| {
            let Entry::Received {
                body: Body::Control(control),
                ..
            } = entry
            else {
                return false;
            };
            matches!(
                control,
                Control::Cancel { .. } | Control::Terminate { .. } | Control::Pause { .. }
            )
        };
        if before
            .entries
            .iter()
            .any(|e| matches!(e, Entry::Retried(_)))
        {
            return Err("another retry came first".to_owned());
        }
        if self.status != Status::Failed && before.entries.iter().any(stops) {
            return Err("another command came first".to_owned());
        }
        Ok(())
    }

    /// **\[R\] G3** A command with a fence applies only to what its sender saw: what this run absorbs
    /// before it is newer.
    fn check_fence(&self, fence: Option<u64>, before: &Commit) -> Result<(), String> {
        let newest = before.newest().unwrap_or(self.newest);
        match fence {
            Some(expected) if newest > expected => {
                Err(format!("stale fence: expected {expected}, found {newest}"))
            }
            _ => Ok(()),
        }
    }
}

type Read<'a> = [Line<&'a Entry>];

/// The last entry to keep of an execution that failed: before the outcome of the frame whose failure
/// ended it, or before the end.
fn failed(read: &Read<'_>, from: Option<&FrameId>) -> Result<u64, String> {
    if let Some(from) = from {
        return before_outcome(read, from);
    }
    let end = read.iter().rposition(|line| line.entry.is_end());
    let end = end.ok_or_else(|| "its journal has no end".to_owned())?;
    if let Entry::Failed { failure } = read[end].entry
        && let Some(at) = failure
            .frame
            .as_ref()
            .and_then(|frame| failure_of(read, frame))
    {
        return Ok(read[at - 1].number);
    }
    // What ends an execution drops its frames, and stops its children.
    let decided = |line: &Line<&Entry>| {
        !matches!(
            line.entry,
            Entry::FrameDropped { .. } | Entry::ChildClosed { .. }
        )
    };
    let kept = read[..end].iter().rposition(decided);
    Ok(kept.map_or(0, |at| read[at].number))
}

/// The last entry to keep of a blocked execution: all but the block.
fn blocked(read: &Read<'_>) -> u64 {
    read.last().map_or(0, |line| line.number)
}

/// The last entry before the outcome of a frame.
fn before_outcome(read: &Read<'_>, frame: &FrameId) -> Result<u64, String> {
    let at = place_of_outcome(read, frame);
    let at = at.ok_or_else(|| format!("frame {frame} has no outcome"))?;
    Ok(read[consumed_by(read, at) - 1].number)
}

/// The place of the outcome that a frame received: the first one since it began, or began again. A
/// result that comes later was not delivered.
fn place_of_outcome(read: &Read<'_>, frame: &FrameId) -> Option<usize> {
    let begins = |line: &Line<&Entry>| match line.entry {
        Entry::FrameStarted { fid, .. } | Entry::ChildRetried { fid, .. } => fid == frame,
        _ => false,
    };
    let since = read.iter().rposition(begins).unwrap_or(0);
    let is_outcome = |line: &Line<&Entry>| outcome_of(line.entry) == Some(frame);
    let at = read[since..].iter().position(is_outcome);
    at.map(|at| since + at).filter(|at| *at > 0)
}

/// The place of the entry that made a poll consume a message, if the entry at `at` is that consumption,
/// which the same poll would repeat. It is a fact, and follows the retry.
fn consumed_by(read: &Read<'_>, at: usize) -> usize {
    if !matches!(read[at].entry, Entry::FrameFulfilled { mid: Some(_), .. }) {
        return at;
    }
    let cause = read[..at].iter().rposition(|line| is_delivered(line.entry));
    let is_fact = |at: &usize| match read[*at].entry {
        Entry::FrameCompleted { .. } => true,
        Entry::Received { body, .. } => match body {
            Body::Message { .. } => true,
            Body::Child { outcome, .. } => outcome.is_ok(),
            _ => false,
        },
        _ => false,
    };
    cause.filter(|at| *at > 0 && is_fact(at)).unwrap_or(at)
}

/// Whether an entry comes to the workflow from outside: a poll follows it.
fn is_delivered(entry: &Entry) -> bool {
    match entry {
        Entry::Received { .. }
        | Entry::FrameCompleted { .. }
        | Entry::FrameFailed { .. }
        | Entry::FrameFulfilled { mid: None, .. }
        | Entry::Started
        | Entry::Continued { .. }
        | Entry::Retried(_) => true,
        Entry::FrameSuspended { wait, .. } => matches!(wait, Wait::Retry { .. }),
        _ => false,
    }
}

/// The place of the failure of a frame.
fn failure_of(read: &Read<'_>, frame: &FrameId) -> Option<usize> {
    place_of_outcome(read, frame).filter(|at| match read[*at].entry {
        Entry::FrameFailed { .. } => true,
        Entry::Received {
            body: Body::Child { outcome, .. },
            ..
        } => outcome.is_err(),
        _ => false,
    })
}

/// The frame whose outcome an entry is.
fn outcome_of(entry: &Entry) -> Option<&FrameId> {
    match entry {
        Entry::FrameCompleted { fid, .. }
        | Entry::FrameFailed { fid, .. }
        | Entry::FrameFulfilled { fid, .. }
        | Entry::Received {
            body: Body::Child { fid, .. },
            ..
        } => Some(fid),
        _ => None,
    }
}

/// The steps whose failure becomes void, and the one that begins again by request.
fn again(read: &Read<'_>, keep: u64, from: Option<&FrameId>) -> Vec<Again> {
    let kept = read.iter().rposition(|line| line.number == keep);
    let void = &read[kept.map_or(read.len(), |at| at + 1)..];
    let begins = |line: &Line<&Entry>| match line.entry {
        Entry::FrameFailed { fid, .. } => Some(fid.clone()),
        Entry::FrameCompleted { fid, .. } if Some(fid) == from => Some(fid.clone()),
        _ => None,
    };
    let fids: BTreeSet<FrameId> = void.iter().filter_map(begins).collect();
    let of = |fid: FrameId| Again {
        same_key: read.iter().all(|line| is_open_ended(line.entry, &fid)),
        fid,
    };
    fids.into_iter().map(of).collect()
}

/// **\[R\] G4** Returns whether no attempt of the step is known, by this entry, to have come to an end:
/// then what it does may still happen, and the next attempt must be recognizable as the same.
fn is_open_ended(entry: &Entry, step: &FrameId) -> bool {
    let lost = |failure: &Failure| matches!(&*failure.kind, kind::ATTEMPT_LOST | kind::TIMEOUT);
    match entry {
        Entry::FrameSuspended {
            fid,
            wait: Wait::Retry { failure, .. },
        }
        | Entry::FrameFailed { fid, failure } => fid != step || lost(failure),
        Entry::FrameCompleted { fid, .. } => fid != step,
        _ => true,
    }
}

/// The children that only void entries have started, and that are not known to have ended: they are
/// stopped. `before` are the entries of this run up to the retry.
pub(super) fn void_children(history: &History, before: &[Entry], retried: &Retried) -> Vec<Entry> {
    let mut read = history.lines();
    let void = journal::void(&mut read, retried.keep);
    let entries = || void.iter().filter(|line| !line.fact).map(|line| line.entry);
    let all = entries().chain(before);
    let ended: BTreeSet<ExecutionId> = all.filter_map(ended).collect();
    let kept: BTreeSet<&FrameId> = read.iter().filter_map(|line| line.entry.fid()).collect();
    let stop = |entry: &Entry| match entry {
        Entry::FrameStarted {
            fid,
            began: Began::Child { eid, queue, .. },
        } if !kept.contains(fid) && !ended.contains(eid) => Some(Entry::ChildClosed {
            fid: fid.clone(),
            eid: *eid,
            queue: queue.clone(),
            how: OnClose::Cancel,
        }),
        _ => None,
    };
    entries().filter_map(stop).collect()
}

/// The children that are open after the retry with which `history` ends.
pub(super) fn open_children(
    history: &History,
    open: &BTreeMap<FrameId, OpenChild>,
    retried: &Retried,
) -> Vec<Open> {
    let closed = |entry: &Entry| match entry {
        Entry::ChildClosed { eid, .. } => Some(*eid),
        _ => None,
    };
    let number = |line: &Line<&Entry>| line.number;
    let lines = history.lines();
    let read: BTreeSet<u64> = lines.iter().map(number).collect();
    let numbered = history
        .commits
        .iter()
        .flat_map(|commit| (commit.first..).zip(&commit.entries));
    let void = numbered.filter(|(number, _)| *number > retried.keep && !read.contains(number));
    let stopped: BTreeSet<ExecutionId> = void.filter_map(|(_, entry)| closed(entry)).collect();
    let start = |fid: &FrameId, child: &OpenChild| {
        lines.iter().rev().find_map(|line| match line.entry {
            Entry::FrameStarted {
                fid: started,
                began: began @ Began::Child { waits, .. },
            } if started == fid => Some(Open {
                fid: fid.clone(),
                eid: child.eid,
                queue: child.queue.clone(),
                began: began.clone(),
                waits: *waits,
                stopped: stopped.contains(&child.eid),
            }),
            _ => None,
        })
    };
    open.iter()
        .filter_map(|(fid, child)| start(fid, child))
        .collect()
}

fn ended(entry: &Entry) -> Option<ExecutionId> {
    match entry {
        Entry::Received {
            body: Body::Child { eid, .. },
            ..
        } => Some(*eid),
        _ => None,
    }
}
