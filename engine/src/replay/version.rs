//! The versions of changes: which branch an execution takes where its code has changed.
//!
//! **\[R\] B41** Each change has one version in an execution, and the first call decides it:
//!
//! 1. If the journal records a version of the change, that one.
//! 2. If a run has passed this point of the journal before, without recording one, 0: that run had
//!    other code, and took the old branch.
//! 3. Otherwise the newest one, which is recorded.
//!
//! A run has passed a point if it committed the workflow as driven after it (`Commit::frames`), or
//! if the journal has a decision of the workflow behind it. Entries that no workflow has received,
//! such as a message to a paused execution, are not passed. Bad interleaving: a new execution is
//! paused, absorbs a message, and is resumed; its replay reaches the call for the first time. A
//! rule by the end of the journal would give it the old branch.
//!
//! A version is an entry, but no frame: it has no id among the frames, and the count of frames of a
//! commit does not contain it. So a call may be added to a workflow, and removed from it.

use std::collections::BTreeMap;

use super::frame_error::FrameError;
use super::table::{State, Table};
use super::trouble::Trouble;
use crate::domain::{Began, Entry, FrameName, Wait};
use crate::journal::Line;

/// What a journal says about the versions of changes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Versions {
    pub(super) recorded: BTreeMap<FrameName, u32>,
    /// The workflow has passed the entries below this number.
    pub(super) passed: u64,
}

impl Versions {
    /// Reads what is replayed of a journal.
    pub(crate) fn of(lines: &[Line<&Entry>]) -> Self {
        let mut versions = Self::default();
        for line in lines {
            if is_decision(line.entry) {
                versions.passed = versions.passed.max(line.number);
            }
            if let Entry::ChangeVersioned { change, version } = line.entry {
                let recorded = &mut versions.recorded;
                recorded.entry(change.clone()).or_insert(*version);
            }
            if line.frames.is_some() {
                versions.passed = versions.passed.max(line.number.saturating_add(1));
            }
        }
        versions
    }
}

/// Whether the workflow decided the entry. Outcomes are facts, and attempts are the run's.
fn is_decision(entry: &Entry) -> bool {
    match entry {
        Entry::FrameStarted { began, .. } => matches!(began, Began::Child { .. }),
        Entry::FrameSuspended { wait, .. } => !matches!(wait, Wait::Retry { .. }),
        Entry::FrameFulfilled { mid, .. } => mid.is_some(),
        Entry::FrameRecorded { .. }
        | Entry::FrameDropped { .. }
        | Entry::Sent { .. }
        | Entry::Announced { .. }
        | Entry::ChangeVersioned { .. } => true,
        _ => false,
    }
}

impl Table {
    /// The version of a change; `max` is the newest that the code has.
    pub(crate) fn version(&self, change: FrameName, max: u32) -> Result<u32, FrameError> {
        if !self.is_inside() {
            let frame = change.to_string();
            return Err(FrameError::Outside { frame });
        }
        Ok(self.lock().version(change, max))
    }
}

impl State {
    fn version(&mut self, change: FrameName, max: u32) -> u32 {
        if let Some(version) = self.versions.recorded.get(&change).copied() {
            if version > max {
                self.invalid.get_or_insert(Trouble::NewerVersion {
                    change: change.to_string(),
                    version,
                    max,
                });
            }
            return version;
        }
        let passed = self.at < self.versions.passed;
        let version = if passed { 0 } else { max };
        if !passed && !self.closed {
            let change = change.clone();
            let entry = Entry::ChangeVersioned { change, version };
            self.decided.push_back(entry);
        }
        self.versions.recorded.insert(change, version);
        version
    }
}
