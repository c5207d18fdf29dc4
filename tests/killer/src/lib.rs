//! Real processes on one SQLite file: three workers, a sweeper and a client, which are killed with
//! `SIGKILL`, stopped with `SIGSTOP` and terminated with `SIGTERM` at random, and restarted. After
//! the killing, everything must come to rest, and the bucket must agree with the ledger of the
//! steps' effects.
//!
//! One binary in every role: `worker` (and any other command of an application), `sweeper`,
//! `client`, and without one of these arguments the killer itself. `judge --folder F`, with the
//! options of the run, judges a kept folder again.
//!
//! ```text
//! cargo run --release -p millpond-killer -- --workflows 2000 --seconds 240 --seed 1
//! ```
#![cfg(unix)]

mod client;
mod dice;
mod fleet;
mod judge;
mod killer;
mod ledger;
mod lines;
mod member;
mod options;
mod place;
mod plan;
mod report;
mod rest;
mod run;
mod sweeper;
mod workflows;

use std::process::ExitCode;

use clap::Parser as _;

/// Why a role could not be run. This is not a finding about Millpond.
type Trouble = Box<dyn std::error::Error + Send + Sync>;

/// Runs the role that the first argument names.
#[must_use = "it is the exit code of the process"]
pub fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let word = arguments.get(1).and_then(|word| word.to_str());
    let rest = || options::Options::parse_from(arguments.iter().skip(1));
    match word {
        Some("client") => client::main(&rest()),
        Some("sweeper") => sweeper::main(&rest()),
        Some("judge") => run::again(&rest()),
        Some(word) if !word.starts_with('-') => millpond_functions::main(workflows::app()),
        _ => run::main(options::Options::parse()),
    }
}
