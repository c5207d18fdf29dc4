//! Offsets to lines and columns.

use serde::Serialize;

/// A line and a column, both counted from 1. A column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// The offset at which each line of a text begins.
///
/// A line ends with `\n`. A byte order mark at the start of the text has no column.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
    /// The number of characters before each [`BLOCK`]: the columns of a text that is one long line
    /// are not counted from its start each time.
    characters: Vec<u32>,
}

/// The number of bytes between two known numbers of characters.
const BLOCK: usize = 1 << 10;

impl LineIndex {
    /// Finds the lines of `text`, in one pass.
    pub(crate) fn new(text: &str) -> Self {
        let bytes = text.bytes().enumerate();
        let after_newlines = bytes
            .filter(|(_, byte)| *byte == b'\n')
            .map(|(at, _)| at + 1);
        let starts = std::iter::once(0)
            .chain(after_newlines)
            .map(|start| u32::try_from(start).expect("a text is at most MAX_TEXT bytes long"))
            .collect();
        let mut characters = vec![0];
        for block in text.as_bytes().chunks(BLOCK) {
            let before = characters.last().expect("it begins with 0");
            characters.push(before + count(block));
        }
        Self { starts, characters }
    }

    /// The number of characters before `offset`.
    fn characters(&self, text: &str, offset: usize) -> u32 {
        let offset = offset.min(text.len());
        let block = offset / BLOCK;
        self.characters[block] + count(&text.as_bytes()[block * BLOCK..offset])
    }

    /// The number of lines; an empty text has one.
    #[must_use]
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The line that contains `offset`, from 1.
    #[must_use]
    pub fn line(&self, offset: u32) -> u32 {
        let line = self.starts.partition_point(|start| *start <= offset);
        u32::try_from(line).expect("there are at most as many lines as bytes")
    }

    /// The offset at which `line` begins; `None` if the text has no such line.
    #[must_use]
    pub fn start(&self, line: u32) -> Option<u32> {
        self.starts.get((line as usize).checked_sub(1)?).copied()
    }

    /// The line and column of `offset` in `text`.
    pub(crate) fn position(&self, text: &str, offset: u32) -> Position {
        let line = self.line(offset);
        let start = self.start(line).expect("line() gives a line of the text") as usize;
        let before = |offset| self.characters(text, offset);
        let column = before(offset as usize) - before(start) + 1;
        let mark = start == 0 && offset > 0 && text.starts_with('\u{feff}');
        Position {
            line,
            column: column - u32::from(mark),
        }
    }
}

/// The number of characters that begin in a part of a text.
fn count(part: &[u8]) -> u32 {
    let begins = part.iter().filter(|byte| **byte & 0xc0 != 0x80);
    u32::try_from(begins.count()).expect("a text is at most MAX_TEXT bytes long")
}
