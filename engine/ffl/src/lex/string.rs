//! Escapes of string literals.

use std::borrow::Cow;
use std::ops::Range;

/// Resolves the escapes of a string literal without its quotes. Also gives the ranges of the
/// escapes that denote no character, such as one half of a surrogate pair.
///
/// Any escape that the language does not define keeps its backslash.
pub(crate) fn unescape(raw: &str) -> (Cow<'_, str>, Vec<Range<usize>>) {
    if !raw.contains('\\') {
        return (Cow::Borrowed(raw), Vec::new());
    }
    let mut text = String::with_capacity(raw.len());
    let mut wrong = Vec::new();
    let mut at = 0;
    while let Some(found) = raw[at..].find('\\') {
        let backslash = at + found;
        text.push_str(&raw[at..backslash]);
        let (escape, length) = read(&raw[backslash + 1..]);
        at = backslash + 1 + length;
        match escape {
            Escape::Char(char) => text.push(char),
            Escape::NoChar => wrong.push(backslash..at),
            Escape::Undefined => text.push('\\'),
        }
    }
    text.push_str(&raw[at..]);
    (Cow::Owned(text), wrong)
}

enum Escape {
    Char(char),
    /// An escape whose number is not a Unicode character.
    NoChar,
    /// No escape: the backslash is kept.
    Undefined,
}

/// What follows a backslash: the escape, and how many bytes of `rest` it takes.
fn read(rest: &str) -> (Escape, usize) {
    let simple = |char| (Escape::Char(char), 1);
    match rest.as_bytes().first() {
        Some(b'n') => simple('\n'),
        Some(b't') => simple('\t'),
        Some(b'r') => simple('\r'),
        Some(b'a') => simple('\u{07}'),
        Some(b'b') => simple('\u{08}'),
        Some(b'f') => simple('\u{0c}'),
        Some(b'v') => simple('\u{0b}'),
        Some(b'\\') => simple('\\'),
        Some(b'"') => simple('"'),
        Some(b'\'') => simple('\''),
        Some(b'x') => hex(rest, 2),
        Some(b'u') => hex(rest, 4),
        Some(b'U') => hex(rest, 8),
        Some(first @ b'0'..=b'7') => {
            // `\377` is the largest one: after 4 to 7 only one more digit belongs to the escape.
            let most = if *first < b'4' { 3 } else { 2 };
            let digits = rest
                .bytes()
                .take(most)
                .take_while(|byte| matches!(byte, b'0'..=b'7'))
                .count();
            let code = rest
                .bytes()
                .take(digits)
                .fold(0, |code, byte| code * 8 + u32::from(byte - b'0'));
            (
                char::from_u32(code).map_or(Escape::NoChar, Escape::Char),
                digits,
            )
        }
        _ => (Escape::Undefined, 0),
    }
}

fn hex(rest: &str, digits: usize) -> (Escape, usize) {
    match rest.get(1..=digits) {
        Some(hex) if hex.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            let code = u32::from_str_radix(hex, 16).expect("at most eight hexadecimal digits");
            (
                char::from_u32(code).map_or(Escape::NoChar, Escape::Char),
                1 + digits,
            )
        }
        _ => (Escape::Undefined, 0),
    }
}
