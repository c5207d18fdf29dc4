//! What must hold of any bytes as a source text.
//!
//! The fuzzer's target (`fuzz/` in the repository), the test that replays its corpus, and the
//! property tests call the same function. No bytes make the parser panic, its errors are sorted and
//! within the text, and a text without errors has a canonical form: that form has the same tree and
//! the same comments, and formatting it changes nothing. The same bytes are then compiled.

mod program;

use crate::diag::{Diagnostic, located};
use crate::format::format;
use crate::parse::{MAX_ERRORS, Parsed, parse};
use crate::source::{Origin, SourceId, Sources};

/// Reads bytes as a source text; true if the text has no syntax errors.
///
/// # Panics
///
/// If a rule is broken.
#[must_use]
pub fn text(data: &[u8]) -> bool {
    let mut sources = Sources::new();
    let Ok(id) = sources.add_bytes("fuzz.ffl", Origin::Primary, data) else {
        return false;
    };
    let parsed = parse(&sources, id);
    errors(&parsed.diagnostics, &sources, MAX_ERRORS);
    if !parsed.diagnostics.is_empty() {
        return false;
    }
    let canonical = format(&sources, id).expect("a text without errors has a canonical form");
    let (again, sources_again, id_again) = read(&canonical);
    assert_eq!(
        again.diagnostics,
        [],
        "the canonical form has errors: {canonical}"
    );
    same("tree", &tree(&again), &tree(&parsed));
    let before = comments(sources.get(id).text(), &parsed);
    same("comments", &comments(&canonical, &again), &before);
    let twice = format(&sources_again, id_again).expect("the canonical form has no errors");
    same("text", &twice, &canonical);
    program::program(&sources, id, &canonical);
    true
}

fn read(text: &str) -> (Parsed, Sources, SourceId) {
    let mut sources = Sources::new();
    let id = sources
        .add("canonical.ffl", Origin::Primary, text)
        .expect("about as large as before");
    (parse(&sources, id), sources, id)
}

fn errors(found: &[Diagnostic], sources: &Sources, limit: usize) {
    assert!(found.len() <= limit, "{} errors", found.len());
    assert!(
        found.is_sorted_by_key(|diagnostic| diagnostic.span.start),
        "{found:?}"
    );
    for diagnostic in found {
        let text = sources.get(diagnostic.span.source).text();
        assert!(
            text.get(diagnostic.span.range()).is_some(),
            "not within the text: {diagnostic:?}"
        );
        assert!(!diagnostic.message.is_empty(), "{diagnostic:?}");
    }
    assert_eq!(located(found, sources).len(), found.len());
}

/// The words of the tree without what depends on places: spans, and the lines and indentation of
/// scripts.
fn tree(parsed: &Parsed) -> String {
    let debug = format!("{:?}", parsed.file);
    let mut tree = String::new();
    let mut previous = "";
    for word in debug.split([' ', '(']) {
        let is_span = word.starts_with(|char: char| char.is_ascii_digit()) && word.contains('@');
        let is_place = is_span || previous == "first_line:" || previous == "indent:";
        let of_place = |char: char| char.is_ascii_digit() || char == '@' || char == '.';
        tree.push_str(if is_place {
            word.trim_start_matches(of_place)
        } else {
            word
        });
        tree.push('\n');
        previous = word;
    }
    tree
}

/// The words of all comments, in order: blanks may change.
fn comments(text: &str, parsed: &Parsed) -> String {
    let words = parsed.comments.iter().map(|comment| {
        text[comment.span.range()]
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            + "\n"
    });
    words.collect()
}

/// Both are equal; otherwise, the first line that differs is named.
fn same(what: &str, now: &str, before: &str) {
    let differs = now
        .lines()
        .zip(before.lines())
        .find(|(now, before)| now != before);
    assert!(
        now == before,
        "another {what}: {differs:?}\nnow:\n{now}\nbefore:\n{before}"
    );
}
