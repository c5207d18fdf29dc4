//! Programs that run on an engine in memory. The rows of `docs/ffl.md` that they show are in the
//! titles of the cases.
//!
//! A case is a program whose first line may be `// input: JSON`. Its first workflow runs. Each event
//! facet is handled alike: with a parameter `fail`, it fails with that message and the kind in `kind`;
//! with a parameter `returns`, it returns that; otherwise it returns its parameters. A case expects
//! the result or the failure, then the calls of event facets, sorted by path.

mod cases;
mod run {
    mod cuts;
    mod generate;
    pub(crate) mod harness;
    mod limits;
    mod order;
    mod states;
}

use std::fmt::Write as _;

use run::harness::{Ran, Setup, run};

const FILES: [&str; 6] = [
    include_str!("run/steps.txt"),
    include_str!("run/blocks.txt"),
    include_str!("run/parameters.txt"),
    include_str!("run/yields.txt"),
    include_str!("run/mixins.txt"),
    include_str!("run/errors.txt"),
];

/// What the case expects, as it is now.
fn shown(text: &str) -> String {
    let Ran { outcome, calls, .. } = run(&Setup::of(text));
    let mut shown = match outcome {
        Ok(value) => format!("result: {value}\n"),
        Err(failure) => format!("failed: {failure}\n"),
    };
    for (path, call) in calls {
        writeln!(shown, "{path} {call}").expect("a string takes any text");
    }
    shown
}

fn check(file: usize) {
    cases::check(FILES[file], shown);
}

#[test]
fn r1_to_r7_steps_run_as_listed() {
    check(0);
}

#[test]
fn r8_to_r12_blocks_run_as_listed() {
    check(1);
}

#[test]
fn r3_parameters_are_as_listed() {
    check(2);
}

#[test]
fn r13_r14_yields_reach_what_is_listed() {
    check(3);
}

#[test]
fn r15_r16_mixins_are_as_listed() {
    check(4);
}

#[test]
fn e1_to_e4_errors_are_caught_as_listed() {
    check(5);
}
