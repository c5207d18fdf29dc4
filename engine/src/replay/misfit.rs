//! What a reader of a nondeterminism error needs: what the journal holds, what the program did.

use super::frames::{Described, READERS};
use super::table::State;
use super::trouble::{Position, Trouble};
use crate::domain::Entry;

/// Any kind of frame.
const ANY: &str = "frame";
/// A sleep, or a receive with a time-out.
const WAIT: &str = "wait";

impl State {
    /// The entry does not fit.
    pub(super) fn misfit(&self, at: Position, entry: &Entry) -> Trouble {
        let Described { verb, word, detail } = describe(entry);
        let (mut expected, mut got) = (word.to_owned(), self.instead());
        if let Some(fid) = entry.fid() {
            expected = format!("{word} {fid}");
            if let Some(slot) = self.slots.get(fid) {
                let (own, own_detail) = (slot.frame.word(), slot.frame.detail());
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
        if let Some(verb) = verb {
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
            Some((fid, slot)) => format!("{} {fid}", slot.frame.word()),
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

fn describe(entry: &Entry) -> Described {
    let mut described = READERS.iter().filter_map(|reader| (reader.describe)(entry));
    let described = described.next().or_else(|| match entry {
        Entry::FrameFulfilled { .. } => Described::with_verb("end of", WAIT),
        Entry::FrameDropped { .. } => Described::with_verb("drop of", ANY),
        _ => Described::new(entry.kind(), None),
    });
    described.expect("every entry has at least a kind")
}
