//! Tokens to a syntax tree: recursive descent, one file per group of productions.
//!
//! The parser never fails: it reports what is wrong and continues, so one run finds several errors.
//! Three rules keep one mistake from causing several reports:
//!
//! - Lists, statements and declarations recover on their own (`recover`); a missing bracket is
//!   assumed where the next statement or declaration begins.
//! - One token causes at most one error.
//! - A text that nests too deeply, or whose string, comment or script does not end, has no further
//!   errors.

mod atom;
mod block;
mod body;
mod braces;
mod call;
mod decl;
mod expr;
mod list;
mod name;
mod parsed;
mod parser;
mod recover;
mod reference;
mod script;
mod signature;
#[cfg(test)]
mod tests;
mod when;

pub use parsed::{MAX_ERRORS, Parsed, parse};
pub use parser::MAX_DEPTH;
