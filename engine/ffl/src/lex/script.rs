//! Raw code in braces, and its indentation.
//!
//! Python's strings and comments are recognized, so that braces in them are not counted and the
//! lines of a string literal do not decide what indentation the code has in common.

/// Finds the brace that closes the code which begins at `open`, the offset of a `{`. Gives the
/// offset after it; `None` if there is none.
pub(crate) fn closing_brace(text: &str, open: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = open;
    while at < bytes.len() {
        match bytes[at] {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b'#' => at = line_end(bytes, at),
            b'"' | b'\'' => {
                at = string_end(bytes, at);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The offset of the newline that ends the line of `at`, or the end of the text.
fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..]
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(bytes.len(), |length| at + length)
}

/// The offset after the string literal whose first quote is at `open`. A literal in single quotes
/// ends with its line at the latest, as in Python.
fn string_end(bytes: &[u8], open: usize) -> usize {
    let quote = bytes[open];
    let triple = bytes.get(open + 1) == Some(&quote) && bytes.get(open + 2) == Some(&quote);
    let mut at = open + if triple { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' if !triple => return at,
            byte if byte == quote && !triple => return at + 1,
            byte if byte == quote && bytes[at..].starts_with(&[quote; 3]) => return at + 3,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Code without its common indentation.
pub(crate) struct Dedented {
    pub(crate) code: String,
    /// The number of lines removed at the start: 0 or 1.
    pub(crate) removed: u32,
    /// The number of characters removed at the start of each line.
    pub(crate) indent: u32,
}

/// Removes a blank first line, a blank last line, and the indentation that all lines have in common.
///
/// Code on the line of the opening brace has no indentation of its own: blanks before it are
/// removed, and it does not count for the other lines. Blank lines do not count either, nor do the
/// lines within a string literal: those lose the indentation if all of them have it.
pub(crate) fn dedent(raw: &str) -> Dedented {
    let mut lines: Vec<&str> = raw
        .split('\n')
        .map(|line| line.trim_end_matches('\r'))
        .collect();
    let mut in_string = lines_in_strings(raw);
    let mut removed = 0;
    let first_is_code = !is_blank(lines[0]);
    if !first_is_code && lines.len() > 1 {
        lines.remove(0);
        in_string.remove(0);
        removed = 1;
    }
    if lines.len() > 1 && lines.last().is_some_and(|line| is_blank(line)) {
        lines.pop();
    }
    let begins_inside = |number: usize| in_string[number] || (number == 0 && first_is_code);
    let counted = lines
        .iter()
        .enumerate()
        .filter(|(number, line)| !begins_inside(*number) && !is_blank(line));
    let common = counted
        .map(|(_, line)| indentation(line))
        .reduce(common_prefix)
        .unwrap_or_default();
    if first_is_code {
        lines[0] = lines[0].trim_start_matches(BLANKS);
    }
    let mut number = usize::from(first_is_code);
    while number < lines.len() {
        let run = 1 + in_string[number + 1..lines.len()]
            .iter()
            .take_while(|inside| **inside)
            .count();
        // A line of code, or the lines within one string literal.
        let run = if in_string[number] {
            number..number + run
        } else {
            number..number + 1
        };
        let lacks = |line: &&str| !is_blank(line) && !line.starts_with(common);
        if !in_string[number] && is_blank(lines[number]) {
            lines[number] = "";
        } else if !lines[run.clone()].iter().any(lacks) {
            for line in &mut lines[run.clone()] {
                *line = &line[common_prefix(common, line).len()..];
            }
        }
        number = run.end;
    }
    let mut code = lines.join("\n");
    code.truncate(code.trim_end_matches([' ', '\t', '\r']).len());
    let indent = u32::try_from(common.len()).expect("a text is at most MAX_TEXT bytes long");
    Dedented {
        code,
        removed,
        indent,
    }
}

const BLANKS: [char; 2] = [' ', '\t'];

fn is_blank(line: &str) -> bool {
    line.trim_matches(BLANKS).is_empty()
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(BLANKS).len()]
}

/// Indentation is compared as text: a tab is not a number of blanks.
fn common_prefix<'a>(a: &'a str, b: &str) -> &'a str {
    let length = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    &a[..length]
}

/// For each line, whether it begins within a string literal.
fn lines_in_strings(raw: &str) -> Vec<bool> {
    let bytes = raw.as_bytes();
    let mut lines = vec![false];
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'"' | b'\'' => string_end(bytes, at),
            b'#' => line_end(bytes, at),
            byte => {
                if byte == b'\n' {
                    lines.push(false);
                }
                at += 1;
                continue;
            }
        };
        lines.extend(
            bytes[at..end]
                .iter()
                .filter(|byte| **byte == b'\n')
                .map(|_| true),
        );
        at = end;
    }
    lines
}
