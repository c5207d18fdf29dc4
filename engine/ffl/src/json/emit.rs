//! Compiled program to JSON.

use crate::form::Program;

/// The JSON form without blanks: what is stored.
#[must_use]
pub fn emit(program: &Program) -> String {
    serde_json::to_string(program).expect("the form has text keys and finite numbers only")
}

/// The JSON form with one property per line: what people read.
#[must_use]
pub fn emit_pretty(program: &Program) -> String {
    serde_json::to_string_pretty(program).expect("the form has text keys and finite numbers only")
}
