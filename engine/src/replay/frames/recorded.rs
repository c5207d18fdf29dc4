//! Recorded values: instants, uuids and random numbers that plain calls draw once. A plain call
//! cannot wait for its entry, so a replay reads the values before it runs the workflow.

use jiff::Timestamp;

use super::frame::{Accepted, Begun, Frame, Site};
use super::kind::{Described, FrameKind, Reader};
use crate::domain::{Entry, Json, Payload};
use crate::replay::FrameError;
use crate::replay::tree::{FrameStatus, Tree};

const WORD: &str = "recorded value";

pub(in crate::replay) const READER: Reader = Reader { describe, show };

/// A value to record.
pub(in crate::replay) struct Plan {
    pub(in crate::replay) value: Json,
}

struct Recorded {
    value: Json,
}

impl super::Plan for Plan {
    fn begin(self, site: &Site<'_>) -> Result<Begun, FrameError> {
        let entry = Entry::FrameRecorded {
            fid: site.fid.clone(),
            value: self.value.clone(),
        };
        let recorded = Recorded { value: self.value };
        Ok((Box::new(recorded), Some(entry)))
    }
}

impl Frame for Recorded {
    fn kind(&self) -> FrameKind {
        FrameKind::Recorded
    }

    fn word(&self) -> &'static str {
        WORD
    }

    fn waits(&self) -> bool {
        false
    }

    fn accept(&mut self, entry: &Entry, _: Option<Json>) -> Accepted {
        match entry {
            Entry::FrameRecorded { value, .. } if *value == self.value => Accepted::Decided,
            _ => Accepted::Misfit,
        }
    }
}

fn describe(entry: &Entry) -> Option<Described> {
    match entry {
        Entry::FrameRecorded { .. } => Described::new(WORD, None),
        _ => None,
    }
}

fn show(entry: &Entry, at: Timestamp, tree: &mut Tree) {
    if let Entry::FrameRecorded { fid, value } = entry {
        let frame = tree.over(fid, FrameKind::Recorded, at, FrameStatus::Completed);
        frame.value = Some(Payload::Inline(value.clone()));
    }
}
