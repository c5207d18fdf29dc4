//! The newest part of a journal: what a run reads of it.
//!
//! A part begins with the first entry of the journal, or with `execution.continued`. A commit may
//! contain the end of one part and the beginning of the next one.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Head;
use crate::domain::{Commit, Entry, Payload, Range};

/// Where the newest part of a journal begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    /// The number of its first entry.
    pub(crate) first: u64,
    /// The bytes of the journal before the commit that contains this entry.
    pub(crate) bytes: u64,
}

impl Part {
    pub(super) fn is_first(&self) -> bool {
        *self == Self::default()
    }
}

/// An entry of an earlier part that the newest one receives first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Carried {
    pub(crate) number: u64,
    pub(crate) commit: u64,
    /// The instant of that commit.
    pub(crate) at: Timestamp,
    pub(crate) entry: Entry,
}

/// What a run reads of a journal.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    /// Entries of earlier parts, in order.
    pub(crate) carried: Vec<Carried>,
    /// The newest part.
    pub(crate) commits: Vec<Commit>,
}

impl History {
    /// Takes the newest part out of the commits that the head of it lists.
    pub(crate) fn of(head: &Head, listed: Vec<Commit>) -> Self {
        Self::from(head.part.first, listed)
    }

    /// Takes the newest part out of commits.
    pub(crate) fn newest(commits: Vec<Commit>) -> Self {
        let mut numbered = commits
            .iter()
            .flat_map(|commit| (commit.first..).zip(&commit.entries));
        let begins = |entry: &Entry| matches!(entry, Entry::Continued { .. });
        let first = numbered.by_ref().filter(|(_, entry)| begins(entry)).last();
        let first = first.map_or(0, |(number, _)| number);
        Self::from(first, commits)
    }

    fn from(first: u64, listed: Vec<Commit>) -> Self {
        if first == 0 {
            return Self {
                carried: Vec::new(),
                commits: listed,
            };
        }
        let (mut older, mut commits) = (Vec::new(), Vec::new());
        for mut commit in listed {
            let before = usize::try_from(first.saturating_sub(commit.first)).unwrap_or(usize::MAX);
            let at = before.min(commit.entries.len());
            let newer = commit.entries.split_off(at);
            older.push((
                commit.commit,
                commit.at,
                commit.first,
                std::mem::take(&mut commit.entries),
            ));
            if commit.first >= first || !newer.is_empty() {
                commit.first = commit.first.max(first);
                commit.entries = newer;
                commits.push(commit);
            }
        }
        let mut history = Self {
            carried: Vec::new(),
            commits,
        };
        let unread: Vec<Range> = match history.entries().next() {
            Some(Entry::Continued { unread, .. }) => unread.clone(),
            _ => Vec::new(), // the segment that contains it cannot be read
        };
        for (commit, at, first, entries) in older {
            let numbered = (first..).zip(entries);
            let carried = numbered.filter(|(number, _)| unread.iter().any(|r| r.contains(*number)));
            history
                .carried
                .extend(carried.map(|(number, entry)| Carried {
                    number,
                    commit,
                    at,
                    entry,
                }));
        }
        history
    }

    /// The entries of the newest part.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.commits.iter().flat_map(|commit| &commit.entries)
    }

    /// The generation with which the newest part begins.
    pub(crate) fn generation(&self) -> u32 {
        match self.entries().next() {
            Some(Entry::Continued { generation, .. }) => *generation,
            _ => 0,
        }
    }

    /// The input of the newest part, if it is not that of the record.
    pub(crate) fn input(&self) -> Option<&Payload> {
        match self.entries().next() {
            Some(Entry::Continued { input, .. }) => Some(input),
            _ => None,
        }
    }
}
