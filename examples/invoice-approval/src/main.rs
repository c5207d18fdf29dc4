//! The single binary of the application: its own `demo`, and every command of Millpond.

use std::process::ExitCode;

use clap::Parser as _;
use invoice_approval::{app, demo};

fn main() -> ExitCode {
    if std::env::args_os()
        .nth(1)
        .is_some_and(|word| word == "demo")
    {
        let arguments = std::env::args_os().skip(1);
        return demo::main(&demo::Options::parse_from(arguments));
    }
    millpond_functions::main(app())
}
