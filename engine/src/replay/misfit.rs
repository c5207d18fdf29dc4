//! What a reader of a nondeterminism error needs: what the journal holds, what the program did.

use super::slot::{of_workflow, on_channel, with_input};
use super::table::State;
use super::trouble::{Position, Trouble};
use crate::domain::{Began, Body, Entry, Wait};

/// Any kind of frame.
const ANY: &str = "frame";
/// A sleep, or a receive with a time-out.
const WAIT: &str = "wait";

impl State {
    /// The entry does not fit.
    pub(super) fn misfit(&self, at: Position, entry: &Entry) -> Trouble {
        let (word, detail) = describe(entry);
        let (mut expected, mut got) = (word.to_owned(), self.instead());
        if let Some(fid) = entry.fid() {
            expected = format!("{word} {fid}");
            if let Some(slot) = self.slots.get(fid) {
                let (own, own_detail) = (slot.what.word(), slot.what.detail());
                if own != word && !matches!(word, ANY | WAIT) {
                    got = format!("{own} {fid}");
                } else if let Some(detail) = detail
                    && detail != own_detail
                {
                    expected.push_str(&detail);
                    got = format!("{own} {fid}{own_detail}");
                }
            }
        }
        if let Some(verb) = verb(entry) {
            expected = format!("{verb} {expected}");
        }
        nondeterminism(at, expected, got)
    }

    /// A commit ends, and the program has registered more or fewer frames by then.
    pub(super) fn check_frames(&self, at: Position, frames: u32) -> Result<(), Trouble> {
        let own = self.frames();
        if own == frames {
            return Ok(());
        }
        let expected = format!("{frames} frames");
        let got = format!("{own} frames: {}", self.instead());
        Err(nondeterminism(at, expected, got))
    }

    /// What the program did instead.
    fn instead(&self) -> String {
        let unknown = self.slots.iter().filter(|(_, slot)| !slot.known);
        match unknown.min_by_key(|(_, slot)| slot.order) {
            Some((fid, slot)) => format!("{} {fid}", slot.what.word()),
            None => self.ended.clone().unwrap_or("nothing new".into()),
        }
    }
}

fn nondeterminism(at: Position, expected: String, got: String) -> Trouble {
    Trouble::Nondeterminism {
        position: at.number,
        commit: at.commit,
        expected,
        got,
    }
}

/// The word for the frame that an entry is about, and what tells it from others of its kind.
fn describe(entry: &Entry) -> (&'static str, Option<String>) {
    match entry {
        Entry::FrameStarted {
            began: Began::Step { input, .. },
            ..
        } => ("step", Some(with_input(input.as_ref()))),
        Entry::FrameStarted {
            began:
                Began::Child {
                    workflow,
                    input,
                    waits,
                    ..
                },
            ..
        } => ("child", Some(of_workflow(workflow, input, *waits))),
        Entry::FrameSuspended {
            wait: Wait::Message { channel, due },
            ..
        } => ("receive", Some(on_channel(channel, due.is_some()))),
        Entry::FrameSuspended {
            wait: Wait::Sleep { .. },
            ..
        } => ("sleep", None),
        Entry::FrameSuspended {
            wait: Wait::Retry { .. },
            ..
        } => ("step", None),
        Entry::FrameFulfilled { mid: Some(_), .. } => ("receive", None),
        Entry::FrameRecorded { .. } => ("recorded value", None),
        Entry::FrameCompleted { .. } | Entry::FrameFailed { .. } => ("step", None),
        Entry::FrameFulfilled { mid: None, .. } => (WAIT, None),
        Entry::FrameDropped { .. } => (ANY, None),
        Entry::Sent { to, channel, .. } => ("message", Some(format!(" to {to} on {channel}"))),
        Entry::Announced { kind, .. } => ("announcement", Some(format!(" of {kind}"))),
        Entry::Received {
            body: Body::Child { .. },
            ..
        } => ("result of a child", None),
        other => (other.kind(), None),
    }
}

/// What is said of the frame, where it is not that it began.
fn verb(entry: &Entry) -> Option<&'static str> {
    match entry {
        Entry::FrameDropped { .. } => Some("drop of"),
        Entry::FrameFulfilled { mid: Some(_), .. } => Some("message consumed by"),
        Entry::FrameFulfilled { mid: None, .. } => Some("end of"),
        Entry::FrameFailed { .. } | Entry::FrameCompleted { .. } => Some("outcome of"),
        _ => None,
    }
}
