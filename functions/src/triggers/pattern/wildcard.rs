//! Texts with `*`.

use std::fmt;

/// Pieces of text, with any text between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wildcard {
    /// At least one; a pattern without `*` is one piece.
    pieces: Vec<String>,
}

impl Wildcard {
    /// Reads a wildcard: `*` is any text, `\*` a star, `\\` a backslash.
    pub(super) fn parse(pattern: &str) -> Result<Self, &'static str> {
        let (mut pieces, mut piece) = (Vec::new(), String::new());
        let mut chars = pattern.chars();
        let mut after_star = false;
        while let Some(char) = chars.next() {
            match char {
                '*' if after_star => return Err("`**` is the same as `*`: write one"),
                '*' => pieces.push(std::mem::take(&mut piece)),
                '\\' => match chars.next() {
                    Some(escaped @ ('*' | '\\')) => piece.push(escaped),
                    _ => return Err("`\\` is only allowed before `*` and `\\`"),
                },
                plain => piece.push(plain),
            }
            after_star = char == '*';
        }
        pieces.push(piece);
        Ok(Self { pieces })
    }

    /// Whether all of `text` matches. Each inner piece is matched at its first occurrence: the time
    /// is linear in the text for each piece, not exponential.
    pub(super) fn matches(&self, text: &str) -> bool {
        let [first, inner @ .., last] = self.pieces.as_slice() else {
            return self.pieces.first().is_some_and(|whole| whole == text);
        };
        let Some(mut rest) = text.strip_prefix(first.as_str()) else {
            return false;
        };
        for piece in inner {
            let Some(at) = rest.find(piece.as_str()) else {
                return false;
            };
            rest = &rest[at + piece.len()..];
        }
        rest.ends_with(last.as_str())
    }

    /// The text before the first `*`, and whether there is one.
    pub(super) fn head(&self) -> (&str, bool) {
        let head = self.pieces.first().map_or("", String::as_str);
        (head, self.pieces.len() > 1)
    }

    /// Whether the only `*` is at the end.
    pub(super) fn is_prefix(&self) -> bool {
        matches!(self.pieces.as_slice(), [_, last] if last.is_empty())
    }
}

impl fmt::Display for Wildcard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let escape = |piece: &String| piece.replace('\\', "\\\\").replace('*', "\\*");
        let pieces: Vec<String> = self.pieces.iter().map(escape).collect();
        write!(f, "`{}`", pieces.join("*"))
    }
}
