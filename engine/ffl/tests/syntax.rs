//! Each production of the grammar: accepted texts, and refused texts with all their errors.
//!
//! A case is `=== title`, a text, `---`, and the expected diagnostics, one per line:
//! `line:column code message`. A text without diagnostics is accepted.

use std::fmt::Write as _;

use millpond_ffl::diag::located;
use millpond_ffl::parse::parse;
use millpond_ffl::source::{Origin, Sources};

fn diagnostics_of(text: &str) -> String {
    let mut sources = Sources::new();
    let id = sources
        .add("case.ffl", Origin::Primary, text)
        .expect("a case is small");
    let mut lines = String::new();
    for found in located(&parse(&sources, id).diagnostics, &sources) {
        let place = found.span;
        writeln!(
            lines,
            "{}:{} {} {}",
            place.line, place.column, found.code, found.message
        )
        .expect("a string takes any text");
    }
    lines
}

/// Every case of the file with the diagnostics that it has now.
fn actual(cases: &str) -> String {
    let mut actual = String::new();
    for case in cases.split("=== ").skip(1) {
        let (title, rest) = case.split_once('\n').expect("a title");
        let (text, _) = rest
            .split_once("---\n")
            .unwrap_or_else(|| panic!("no `---` in {title}"));
        let found = diagnostics_of(text);
        write!(actual, "=== {title}\n{text}---\n{found}").expect("a string takes any text");
    }
    actual
}

fn check(cases: &str) {
    let actual = actual(cases);
    assert!(cases.matches("=== ").count() > 3, "the file has cases");
    if actual != cases {
        let first = actual.lines().zip(cases.lines()).position(|(a, b)| a != b);
        panic!(
            "differs from line {:?} on; now:\n{actual}",
            first.map(|line| line + 1)
        );
    }
}

#[test]
fn declarations_are_accepted_or_refused_as_listed() {
    check(include_str!("syntax/declarations.txt"));
}

#[test]
fn blocks_are_accepted_or_refused_as_listed() {
    check(include_str!("syntax/blocks.txt"));
}

#[test]
fn expressions_are_accepted_or_refused_as_listed() {
    check(include_str!("syntax/expressions.txt"));
}

#[test]
fn lexis_is_accepted_or_refused_as_listed() {
    check(include_str!("syntax/lexis.txt"));
}

#[test]
fn one_mistake_is_one_error_as_listed() {
    check(include_str!("syntax/recovery.txt"));
}
