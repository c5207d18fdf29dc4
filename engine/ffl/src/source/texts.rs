//! The texts of one compilation.

use std::sync::Arc;

use serde::Serialize;

use super::{LineIndex, Position, SourceId, Span};

/// The most bytes that one text, and all texts of a program together, may have: 4 MiB.
pub const MAX_TEXT: usize = 4 << 20;

/// Why a text is part of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The caller named the text.
    Primary,
    /// A library text that contains a namespace which was missing.
    Library,
}

/// One text: its name, origin and lines.
#[derive(Clone, Debug)]
pub struct Source {
    name: Arc<str>,
    origin: Origin,
    text: Arc<str>,
    lines: LineIndex,
}

/// Why a text was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The bytes are not UTF-8.
    #[error(
        "source text is not UTF-8; save the file as UTF-8: source={name:?}, line={line}, offset={offset}"
    )]
    NotUtf8 {
        /// The name of the text.
        name: String,
        /// The line of the first invalid byte, from 1.
        line: usize,
        /// The offset of the first invalid byte.
        offset: usize,
    },
    /// The texts of the program exceed [`MAX_TEXT`].
    #[error(
        "program is too large: its source texts have more than {MAX_TEXT} bytes; split the program: \
         source={name:?}, bytes={bytes}"
    )]
    TooLarge {
        /// The name of the text with which the limit was exceeded.
        name: String,
        /// The size of all texts, including this one.
        bytes: usize,
    },
}

impl Source {
    /// The name that messages show, such as a path.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Why the text is part of the program.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The whole text, including a byte order mark.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The lines of the text.
    #[must_use]
    pub fn lines(&self) -> &LineIndex {
        &self.lines
    }

    /// The line and column of an offset.
    #[must_use]
    pub fn position(&self, offset: u32) -> Position {
        self.lines.position(&self.text, offset)
    }
}

/// The texts of one compilation, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    texts: Vec<Source>,
    bytes: usize,
}

impl Sources {
    /// No texts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text.
    ///
    /// # Errors
    ///
    /// [`SourceError::TooLarge`] if the texts have more than [`MAX_TEXT`] bytes together. The text
    /// is not added then.
    pub fn add(&mut self, name: &str, origin: Origin, text: &str) -> Result<SourceId, SourceError> {
        let bytes = self.bytes + text.len();
        if bytes > MAX_TEXT {
            return Err(SourceError::TooLarge {
                name: name.to_owned(),
                bytes,
            });
        }
        let id = SourceId(u32::try_from(self.texts.len()).expect("texts are fewer than 2^32"));
        let lines = LineIndex::new(text);
        self.texts.push(Source {
            name: name.into(),
            origin,
            text: text.into(),
            lines,
        });
        self.bytes = bytes;
        Ok(id)
    }

    /// Adds a text that is still bytes, as read from a file.
    ///
    /// # Errors
    ///
    /// [`SourceError::NotUtf8`] if the bytes are not UTF-8, and the errors of [`Sources::add`].
    pub fn add_bytes(
        &mut self,
        name: &str,
        origin: Origin,
        bytes: &[u8],
    ) -> Result<SourceId, SourceError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let offset = error.valid_up_to();
            let line = bytes[..offset]
                .iter()
                .filter(|byte| **byte == b'\n')
                .count()
                + 1;
            SourceError::NotUtf8 {
                name: name.to_owned(),
                line,
                offset,
            }
        })?;
        self.add(name, origin, text)
    }

    /// The text of an id that these texts gave.
    ///
    /// # Panics
    ///
    /// If other `Sources` gave the id.
    #[must_use]
    pub fn get(&self, id: SourceId) -> &Source {
        self.texts
            .get(id.index())
            .expect("the id is one of these texts")
    }

    /// The part of a text that `span` covers.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.get(span.source)
            .text()
            .get(span.range())
            .unwrap_or_default()
    }

    /// The texts with their ids, in order.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        (0..).map(SourceId).zip(&self.texts)
    }

    /// The number of texts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// True if there is no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}
