//! Which entries of a journal a replay reads, and in which order.
//!
//! Without a retry these are all entries. `execution.retried {keep}` makes those void that the replay
//! before it read behind `keep`, except facts, which follow it in their order. **\[R\] G1** Facts are
//! messages, the attempts and values of steps, and the values of children that the kept entries had
//! started. Bad interleaving: two steps run, one fails and ends the execution, the other one succeeded
//! meanwhile: without its value the retry would run it, and pay for it, twice.
//!
//! **\[R\] G2** They are those of the replay before it, not of the journal: a retry never brings back
//! what an earlier one made void.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{Carried, History};
use crate::domain::{Began, Body, Commit, Entry, FrameId, Retried, Wait};

/// An entry that a replay reads.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line<E> {
    pub(crate) number: u64,
    /// The commit that contains it.
    pub(crate) commit: u64,
    /// The instant of that commit.
    pub(crate) at: Timestamp,
    /// The number of frames registered by then, on the last line of a commit without void entries.
    pub(crate) frames: Option<u32>,
    /// Whether it is a fact of a part that a retry has made void.
    pub(crate) fact: bool,
    pub(crate) entry: E,
}

/// Returns the lines that a replay of `commits` reads.
pub(crate) fn lines(commits: &[Commit]) -> Vec<Line<&Entry>> {
    read(flat(commits.iter().map(by_reference)))
}

impl History {
    /// Returns the lines that a replay reads: first what older parts have left.
    pub(crate) fn lines(&self) -> Vec<Line<&Entry>> {
        let mut lines: Vec<_> = self
            .carried
            .iter()
            .map(|one| one.line(&one.entry))
            .collect();
        lines.extend(flat(self.commits.iter().map(by_reference)));
        read(lines)
    }

    /// The same, of a journal that is not needed any more.
    pub(crate) fn into_lines(self) -> Vec<Line<Entry>> {
        let retried = |entry: &Entry| matches!(entry, Entry::Retried(_));
        if self.entries().any(retried) {
            let lines = self.lines().into_iter();
            return lines.map(|line| line.map(Entry::clone)).collect();
        }
        let carried = self.carried.into_iter();
        let mut lines: Vec<_> = carried.map(|one| one.line(one.entry.clone())).collect();
        lines.extend(flat(self.commits.into_iter().map(|mut commit| {
            let entries = std::mem::take(&mut commit.entries);
            (Header::of(&commit), entries)
        })));
        lines
    }
}

impl Carried {
    fn line<E>(&self, entry: E) -> Line<E> {
        Line {
            number: self.number,
            commit: self.commit,
            at: self.at,
            frames: None,
            fact: false,
            entry,
        }
    }
}

/// A commit without its entries.
struct Header {
    commit: u64,
    first: u64,
    at: Timestamp,
    frames: Option<u32>,
}

impl Header {
    fn of(commit: &Commit) -> Self {
        Self {
            commit: commit.commit,
            first: commit.first,
            at: commit.at,
            frames: commit.frames,
        }
    }
}

fn by_reference(commit: &Commit) -> (Header, Vec<&Entry>) {
    (Header::of(commit), commit.entries.iter().collect())
}

/// All lines, in order of their numbers. The count of frames of a commit without entries is that of the
/// line before it.
fn flat<E>(commits: impl Iterator<Item = (Header, Vec<E>)>) -> Vec<Line<E>> {
    let mut lines: Vec<Line<E>> = Vec::new();
    for (header, entries) in commits {
        lines.extend((header.first..).zip(entries).map(|(number, entry)| Line {
            number,
            commit: header.commit,
            at: header.at,
            frames: None,
            fact: false,
            entry,
        }));
        if let Some(last) = lines.last_mut() {
            last.frames = last.frames.or(header.frames);
        }
    }
    lines
}

fn read(lines: Vec<Line<&Entry>>) -> Vec<Line<&Entry>> {
    let mut read: Vec<Line<&Entry>> = Vec::new();
    for line in lines {
        match line.entry {
            Entry::Retried(retried) => retry(&mut read, line, retried),
            _ => read.push(line),
        }
    }
    read
}

impl<E> Line<E> {
    fn map<F>(self, change: impl FnOnce(E) -> F) -> Line<F> {
        Line {
            number: self.number,
            commit: self.commit,
            at: self.at,
            frames: self.frames,
            fact: self.fact,
            entry: change(self.entry),
        }
    }
}

/// Makes void what `read` contains behind the entry `keep`, except facts, which follow `line`.
fn retry<'a>(read: &mut Vec<Line<&'a Entry>>, mut line: Line<&'a Entry>, retried: &Retried) {
    let void = void(read, retried.keep);
    let kept = read.iter().filter(|line| !line.fact);
    let started: BTreeSet<&FrameId> = kept.filter_map(|line| line.entry.fid()).collect();
    // What an `again` frame had for its outcome is void, a value, too.
    let again = retried.again.iter().map(|again| &again.fid);
    let again: BTreeSet<&FrameId> = again.chain(&retried.from).collect();
    let mut facts: Vec<_> = void
        .into_iter()
        .filter(|line| is_fact(line.entry, &started, &again))
        .map(|line| Line {
            fact: true,
            frames: None,
            ..line
        })
        .collect();
    // Facts may make the workflow register frames, which the count of the commit contains.
    if let Some(last) = facts.last_mut() {
        last.frames = line.frames.take();
    }
    read.push(line);
    read.extend(facts);
}

/// Takes out of `read` what a retry that keeps the entry `keep` makes void.
pub(crate) fn void<'a>(read: &mut Vec<Line<&'a Entry>>, keep: u64) -> Vec<Line<&'a Entry>> {
    let kept = read.iter().rposition(|line| line.number == keep);
    read.split_off(kept.map_or(read.len(), |at| at + 1))
}

/// Returns whether an entry that a retry makes void is a fact. The attempts of a step may be: the
/// replay knows whether the step was registered before.
fn is_fact(entry: &Entry, started: &BTreeSet<&FrameId>, again: &BTreeSet<&FrameId>) -> bool {
    match entry {
        Entry::Received { body, .. } => match body {
            Body::Message { .. } => true,
            Body::Child {
                fid,
                outcome: Ok(_),
                ..
            } => started.contains(fid) && !again.contains(fid),
            _ => false,
        },
        Entry::FrameStarted {
            began: Began::Step { .. },
            ..
        }
        | Entry::FrameSuspended {
            wait: Wait::Retry { .. },
            ..
        } => true,
        Entry::FrameCompleted { fid, .. } => !again.contains(fid),
        // A child that an earlier retry had begun again, or retried.
        Entry::FrameStarted { fid, .. } | Entry::ChildRetried { fid, .. } => started.contains(fid),
        _ => false,
    }
}
