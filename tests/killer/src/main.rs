//! The single binary of a run, in every role: see the library.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    millpond_killer::main()
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    eprintln!("there are no such signals on this system");
    ExitCode::FAILURE
}
