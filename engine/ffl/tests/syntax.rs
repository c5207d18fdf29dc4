//! Each production of the grammar: accepted texts, and refused texts with all their errors.
//!
//! A case is `=== title`, a text, `---`, and the expected diagnostics, one per line:
//! `line:column code message`. A text without diagnostics is accepted.

mod cases;

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

fn check(cases: &str) {
    cases::check(cases, diagnostics_of);
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
