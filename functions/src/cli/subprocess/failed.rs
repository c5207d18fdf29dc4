//! Failures before there is output.

use std::io;

/// Why a program has no output.
#[derive(Debug)]
pub(in super::super) enum Failed {
    Start(io::Error),
    /// A stream of the process failed.
    Stream(io::Error),
    /// It printed more than `Limits::output`.
    TooLarge,
    /// The attempt was cancelled, and the program killed.
    Cancelled,
}
