//! Sleeps: a wait for an instant.

use std::time::Duration;

use jiff::Timestamp;

use super::frame::{Accepted, Begun, Frame, Outcome, Site};
use super::kind::{Described, FrameKind, Reader};
use crate::domain::{Entry, Json, Wait};
use crate::replay::FrameError;
use crate::replay::tree::{FrameStatus, Tree};

const WORD: &str = "sleep";

pub(in crate::replay) const READER: Reader = Reader { describe, show };

/// A wait for an instant.
pub(crate) enum Plan {
    /// The instant at which this has passed since the first poll.
    For(Duration),
    /// This instant.
    Until(Timestamp),
}

struct Sleep {
    due: Timestamp,
}

impl super::Plan for Plan {
    fn begin(self, site: &Site<'_>) -> Result<Begun, FrameError> {
        let due = match self {
            Self::For(wait) => site.after(wait),
            Self::Until(due) => due,
        };
        let entry = Entry::FrameSuspended {
            fid: site.fid.clone(),
            wait: Wait::Sleep { due },
        };
        Ok((Box::new(Sleep { due }), Some(entry)))
    }
}

impl Frame for Sleep {
    fn kind(&self) -> FrameKind {
        FrameKind::Sleep
    }

    fn word(&self) -> &'static str {
        WORD
    }

    fn waits(&self) -> bool {
        true
    }

    fn due(&self) -> Option<Timestamp> {
        Some(self.due)
    }

    fn accept(&mut self, entry: &Entry, _: Option<Json>) -> Accepted {
        match entry {
            // The length may change between versions: the instant in the journal counts.
            Entry::FrameSuspended {
                wait: Wait::Sleep { due },
                ..
            } => {
                self.due = *due;
                Accepted::Decided
            }
            Entry::FrameFulfilled { mid: None, .. } => Accepted::Outcome(Outcome::Elapsed),
            _ => Accepted::Misfit,
        }
    }
}

fn describe(entry: &Entry) -> Option<Described> {
    match entry {
        Entry::FrameSuspended {
            wait: Wait::Sleep { .. },
            ..
        } => Described::new(WORD, None),
        _ => None,
    }
}

fn show(entry: &Entry, at: Timestamp, tree: &mut Tree) {
    match entry {
        Entry::FrameSuspended {
            fid,
            wait: Wait::Sleep { due },
        } => {
            tree.wait(fid, FrameKind::Sleep, at, Some(*due));
        }
        Entry::FrameFulfilled { fid, mid: None } if tree.is(fid, FrameKind::Sleep) => {
            tree.close(fid, at, FrameStatus::Completed);
        }
        _ => {}
    }
}
