//! One missing bracket is one error.

use millpond_ffl::parse::parse;
use millpond_ffl::source::{Origin, Sources};

/// Brackets in it are all part of the syntax.
const PROGRAM: &str = include_str!("missing/shop.ffl");

fn errors_without(at: usize) -> Vec<String> {
    let text = format!("{} {}", &PROGRAM[..at], &PROGRAM[at + 1..]);
    let mut sources = Sources::new();
    let id = sources
        .add("shop.ffl", Origin::Primary, &text)
        .expect("small");
    let found = parse(&sources, id).diagnostics;
    found
        .iter()
        .map(|one| {
            format!(
                "{:?} {}",
                sources.get(id).position(one.span.start),
                one.message
            )
        })
        .collect()
}

fn check(brackets: &[char]) {
    assert_eq!(
        errors_without(PROGRAM.len() - 1),
        [""; 0],
        "the whole program has no errors"
    );
    let places = PROGRAM
        .char_indices()
        .filter(|(_, char)| brackets.contains(char));
    let mut several = Vec::new();
    for (at, _) in places {
        let errors = errors_without(at);
        if errors.len() != 1 {
            let line = PROGRAM[..at].lines().count();
            several.push(format!("line {line}, offset {at}: {errors:#?}"));
        }
    }
    assert!(several.is_empty(), "{}", several.join("\n"));
}

#[test]
fn a_missing_closing_brace_is_one_error() {
    check(&['}']);
}

#[test]
fn a_missing_opening_brace_is_one_error() {
    check(&['{']);
}

#[test]
fn a_missing_closing_parenthesis_or_bracket_is_one_error() {
    check(&[')', ']']);
}

#[test]
fn a_missing_opening_parenthesis_or_bracket_is_one_error() {
    check(&['(', '[']);
}
