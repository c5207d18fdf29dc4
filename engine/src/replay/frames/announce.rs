//! Announcements: published in the feed by the commit that decides them.

use jiff::Timestamp;

use super::frame::{Accepted, Begun, Frame, Site};
use super::kind::{Described, FrameKind, Reader};
use crate::domain::{Channel, Entry, Json};
use crate::replay::FrameError;
use crate::replay::tree::{FrameStatus, Tree};

const WORD: &str = "announcement";

pub(in crate::replay) const READER: Reader = Reader { describe, show };

/// An event to publish.
pub(crate) struct Plan {
    /// A name to filter by.
    pub(crate) kind: Channel,
    pub(crate) value: Json,
}

struct Announce {
    kind: Channel,
}

impl super::Plan for Plan {
    fn value(&self) -> Option<&Json> {
        Some(&self.value)
    }

    fn begin(self, site: &Site<'_>) -> Result<Begun, FrameError> {
        let entry = Entry::Announced {
            fid: site.fid.clone(),
            kind: self.kind.clone(),
            value: self.value.into(),
        };
        Ok((Box::new(Announce { kind: self.kind }), Some(entry)))
    }
}

impl Frame for Announce {
    fn kind(&self) -> FrameKind {
        FrameKind::Announce
    }

    fn word(&self) -> &'static str {
        WORD
    }

    fn detail(&self) -> String {
        detail(&self.kind)
    }

    fn waits(&self) -> bool {
        false
    }

    /// Another value is no change of the program: only the kind is compared.
    fn accept(&mut self, entry: &Entry, _: Option<Json>) -> Accepted {
        match entry {
            Entry::Announced { kind, .. } if *kind == self.kind => Accepted::Decided,
            _ => Accepted::Misfit,
        }
    }
}

fn describe(entry: &Entry) -> Option<Described> {
    match entry {
        Entry::Announced { kind, .. } => Described::new(WORD, Some(detail(kind))),
        _ => None,
    }
}

fn detail(kind: &Channel) -> String {
    format!(" of {kind}")
}

fn show(entry: &Entry, at: Timestamp, tree: &mut Tree) {
    if let Entry::Announced { fid, kind, value } = entry {
        let frame = tree.over(fid, FrameKind::Announce, at, FrameStatus::Completed);
        frame.about = Some(kind.to_string());
        frame.value = Some(value.clone());
    }
}
