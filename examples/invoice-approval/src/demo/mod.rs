//! The demo: every invoice of a file, one killed worker, and the proof that nothing was lost and
//! nothing was paid twice.

mod case;
mod options;
mod place;
mod play;
mod pond;
mod prices;
mod processes;
mod report;
mod trouble;

use std::error::Error;
use std::process::ExitCode;

pub use options::Options;
pub use prices::{Cost, Price};
pub use report::{Claim, Killed, Report, Row};
pub use trouble::Trouble;

/// Runs the demo and prints its report. Success only if every claim holds.
#[must_use]
pub fn main(options: &Options) -> ExitCode {
    let progress = |text: String| eprintln!("{text}");
    let report = match play::play(options, &progress) {
        Ok(report) => report,
        Err(trouble) => {
            eprintln!("error: {}", in_full(&trouble));
            return ExitCode::FAILURE;
        }
    };
    if options.json {
        match serde_json::to_string_pretty(&report) {
            Ok(json) => println!("{json}"),
            Err(error) => {
                eprintln!("error: {error}");
                return ExitCode::FAILURE;
            }
        }
    } else {
        println!("{}", report.text());
    }
    if report.holds() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn in_full(trouble: &Trouble) -> String {
    let mut text = trouble.to_string();
    let mut source = trouble.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text
}
