//! Each code of the checks: texts that cause it, and near misses that do not.
//!
//! A case expects the diagnostics of its text, one per line: `line:column code message`. A text
//! without diagnostics compiles without warnings.

mod cases;

use std::fmt::Write as _;

use millpond_ffl::diag::{Code, located};
use millpond_ffl::json::Detail;
use millpond_ffl::program::compile;
use millpond_ffl::source::{Origin, Sources};

const FILES: [&str; 11] = [
    include_str!("checks/declarations.txt"),
    include_str!("checks/names.txt"),
    include_str!("checks/steps.txt"),
    include_str!("checks/inputs.txt"),
    include_str!("checks/references.txt"),
    include_str!("checks/yields.txt"),
    include_str!("checks/when.txt"),
    include_str!("checks/types.txt"),
    include_str!("checks/calls.txt"),
    include_str!("checks/prompts.txt"),
    include_str!("checks/recursion.txt"),
];

fn diagnostics_of(text: &str) -> String {
    let mut sources = Sources::new();
    sources
        .add("case.ffl", Origin::Primary, text)
        .expect("a case is small");
    let found = match compile(&sources, Detail::default()) {
        Ok(compiled) => compiled.warnings,
        Err(diagnostics) => diagnostics,
    };
    let mut lines = String::new();
    for found in located(&found, &sources) {
        let (place, code) = (found.span, found.code);
        let message = found.message;
        writeln!(lines, "{}:{} {code} {message}", place.line, place.column)
            .expect("a string takes any text");
    }
    lines
}

fn check(file: usize) {
    cases::check(FILES[file], diagnostics_of);
}

#[test]
fn declarations_are_checked_as_listed() {
    check(0);
}

#[test]
fn names_denote_what_is_listed() {
    check(1);
}

#[test]
fn step_names_are_checked_as_listed() {
    check(2);
}

#[test]
fn parameters_are_checked_as_listed() {
    check(3);
}

#[test]
fn step_references_are_checked_as_listed() {
    check(4);
}

#[test]
fn yields_are_checked_as_listed() {
    check(5);
}

#[test]
fn whens_are_checked_as_listed() {
    check(6);
}

#[test]
fn types_are_inferred_as_listed() {
    check(7);
}

#[test]
fn calls_are_checked_as_listed() {
    check(8);
}

#[test]
fn prompts_and_scripts_are_checked_as_listed() {
    check(9);
}

#[test]
fn recursions_are_found_as_listed() {
    check(10);
}

#[test]
fn c1_each_code_is_caused_by_a_case() {
    let caused: Vec<&str> = FILES
        .iter()
        .flat_map(|file| file.lines())
        .filter(|line| line.starts_with(|first: char| first.is_ascii_digit()))
        .filter_map(|line| line.split(' ').nth(1))
        .collect();
    // The codes of the parser are below E100, and E501 is one of them.
    let of_checks = |code: &&Code| code.as_str() > "E100" && **code != Code::E501;
    for code in Code::ALL.iter().filter(of_checks) {
        assert!(caused.contains(&code.as_str()), "{code}");
    }
}
