//! The kinds of frames, and how each of them reads a journal.

use jiff::Timestamp;
use serde::Serialize;
use serde_variant::to_variant_name;

use super::{announce, child, receive, recorded, send, sleep, step};
use crate::domain::Entry;
use crate::replay::tree::Tree;

/// What a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameKind {
    /// The workflow itself.
    Workflow,
    /// A name that groups frames.
    Scope,
    /// A step.
    Step,
    /// A wait for an instant.
    Sleep,
    /// A wait for a message.
    Receive,
    /// A child execution.
    Child,
    /// A message to another execution.
    Send,
    /// An announcement.
    Announce,
    /// A recorded instant, uuid or random number.
    Recorded,
}

impl FrameKind {
    /// The name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        to_variant_name(&self).expect("a kind is a variant of an enum")
    }
}

/// How a kind of frame reads journal entries, without a program. Entries about other frames
/// mean nothing to it.
pub(in crate::replay) struct Reader {
    /// Describes an entry for a nondeterminism error.
    pub(in crate::replay) describe: fn(&Entry) -> Option<Described>,
    /// Adds an entry to the tree of frames.
    pub(in crate::replay) show: fn(&Entry, Timestamp, &mut Tree),
}

/// One for each kind that a workflow can ask for.
pub(in crate::replay) const READERS: [Reader; 7] = [
    announce::READER,
    child::READER,
    receive::READER,
    recorded::READER,
    send::READER,
    sleep::READER,
    step::READER,
];

/// The description of an entry.
pub(in crate::replay) struct Described {
    /// What the entry is to the frame, if not its beginning: `outcome of`, `drop of`.
    pub(in crate::replay) verb: Option<&'static str>,
    /// What the frame is, as [`Frame::word`](super::Frame::word).
    pub(in crate::replay) word: &'static str,
    /// As [`Frame::detail`](super::Frame::detail), if the entry has it.
    pub(in crate::replay) detail: Option<String>,
}

impl Described {
    pub(in crate::replay) fn new(word: &'static str, detail: Option<String>) -> Option<Self> {
        let verb = None;
        Some(Self { verb, word, detail })
    }

    pub(in crate::replay) fn with_verb(verb: &'static str, word: &'static str) -> Option<Self> {
        Some(Self {
            verb: Some(verb),
            word,
            detail: None,
        })
    }
}
